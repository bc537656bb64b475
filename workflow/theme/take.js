// A menu below each figure: SVG, PNG, its rows as CSV, link, citation. All from what the page
// holds: the image, and its specification in #charts.
"use strict";
(() => {
  const page = location.pathname.split("/").at(-2) || "figure";
  function save(blob, name) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
  }
  const bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  // as printed: without the style for dark pages
  function svgOf(image) {
    const [head, data] = [image.src.slice(0, image.src.indexOf(",")), image.src.slice(image.src.indexOf(",") + 1)];
    const text = head.endsWith("base64") ? new TextDecoder().decode(bytes(data)) : decodeURIComponent(data);
    return text.replace(/<style>.*?<\/style>/s, "");
  }
  async function png(svg) {
    const image = new Image(), scale = 300 / 96; // 300 dots per inch at its own size
    image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"),
      { width: Math.round(image.naturalWidth * scale), height: Math.round(image.naturalHeight * scale) });
    const paper = canvas.getContext("2d");
    paper.fillStyle = "#fff";
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }
  async function specOf(label) {
    const packed = new Blob([bytes(document.getElementById("charts").textContent)]);
    const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text())[label] || {};
  }
  const titleOf = ({ title }) => [(title && title.text) ?? title ?? ""].flat().join(" ");
  // the rows that the figure's function says are data: they carry their places in tables ('row of ...'),
  // which grids and labels do not; of a figure whose rows have none, all
  function rowsOf(spec) {
    const found = new Map();
    (function walk(view, panel, top) {
      const inside = (!top && titleOf(view)) || panel, rows = view.data && (spec.datasets || {})[view.data.name];
      if (rows && rows.length && !found.has(rows)) found.set(rows, inside);
      for (const part of [view.layer, view.hconcat, view.vconcat, view.concat, view.spec].flat())
        if (part) walk(part, inside, false);
    })(spec, "", true);
    const isData = ([rows]) => Object.keys(rows[0]).some((name) => name.startsWith("row of "));
    const named = [...found].filter(isData), all = named.length ? named : [...found];
    return all.flatMap(([rows, panel]) => rows.map((row) => (all.length > 1 ? { panel, ...row } : row)));
  }
  function csv(rows) { // RFC 4180
    const columns = [...new Set(rows.flatMap(Object.keys))];
    const text = (value) => (value === null || value === undefined ? "" : [value].flat().join(" "));
    const cell = (value) => (/[",\r\n]/.test(text(value)) ? `"${text(value).replaceAll('"', '""')}"` : text(value));
    return [columns, ...rows.map((row) => columns.map((name) => row[name]))]
      .map((line) => `${line.map(cell).join(",")}\r\n`).join("");
  }
  async function copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a page that is a file, in some browsers
      const area = Object.assign(document.createElement("textarea"), { value: text });
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    return `${what} copied`;
  }
  for (const figure of document.querySelectorAll("figure[id^=fig-]")) {
    const image = figure.querySelector("img"), caption = figure.querySelector(":scope > figcaption");
    if (!caption || figure.querySelectorAll("img").length !== 1 || !image.src.startsWith("data:image/svg")) continue;
    const name = `${page}-${figure.id.slice(4)}`, number = caption.textContent.match(/^\s*(Figure\s[\w.]+)/)?.[1] || "Figure";
    const address = `${document.querySelector("[rel=canonical]")?.href || location.href.split("#")[0]}#${figure.id}`;
    const entry = document.querySelector(".cite code")?.textContent.trim();
    const ways = {
      SVG: () => save(new Blob([svgOf(image)], { type: "image/svg+xml" }), `${name}.svg`),
      PNG: async () => save(await png(svgOf(image)), `${name}.png`),
      CSV: async () => {
        const rows = rowsOf(await specOf(figure.id));
        if (!rows.length) return "A drawing: it has no data";
        save(new Blob([csv(rows)], { type: "text/csv" }), `${name}.csv`);
      },
      Link: () => copy(address, "Link"),
      ...(entry && { Cite: () => copy(entry.replace(/\n}$/, `,\n  howpublished = {${number}, \\url{${address}}}\n}`), "BibTeX") }),
    };
    const said = Object.assign(document.createElement("span"), { role: "status" });
    const menu = Object.assign(document.createElement("details"), { className: "take" });
    const summary = Object.assign(document.createElement("summary"), { textContent: "Download or cite" });
    summary.setAttribute("aria-label", `Download or cite ${number}`);
    menu.append(summary, ...Object.entries(ways).map(([way, act]) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: way });
      button.addEventListener("click", async () => { said.textContent = (await act()) || ""; });
      return button;
    }), said);
    caption.append(menu);
  }
})();
