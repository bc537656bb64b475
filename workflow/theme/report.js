// What a reader can ask of a page: where a number, a figure or a table comes from, and the values and
// runs behind the marks of a chart. The record is in the page (#provenance); without JavaScript the
// links of a report lead to its appendix, and figures stay images.
"use strict";
(async () => {
  const holder = document.getElementById("provenance");
  if (!holder || !window.HTMLDialogElement || !window.DecompressionStream) return;
  let record = null, chartSpecs = null; // the record is most of a page: unpacked when it is asked for
  async function load() {
    if (!record) record = JSON.parse(await unpack(holder.textContent));
    window.evenflow = { record, specs: chartSpecs };
  }
  const SHOWN = 12; // runs listed at once

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.flat().filter((child) => child !== null && child !== ""));
    return element;
  }
  const code = (text) => make("code", {}, text);
  const heading = (text) => make("h3", {}, text);

  const dialog = make("dialog", { id: "evidence-panel", "aria-labelledby": "evidence-title" });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);

  function open(title, ...content) {
    const close = make("button", { type: "button", class: "evidence-close" }, "Close");
    close.addEventListener("click", () => dialog.close());
    const name = make("h2", { id: "evidence-title", tabindex: "-1" }, title);
    dialog.replaceChildren(make("div", { class: "evidence-body" }, close, name, ...content));
    dialog.showModal();
    dialog.scrollTop = 0;
    name.focus();
  }

  // ---- lines to copy ---------------------------------------------------------------------------
  function copyLine(command) {
    const button = make("button", { type: "button", class: "copy", "aria-label": `Copy: ${command}` }, "Copy");
    const line = make("div", { class: "to-copy" }, make("code", {}, command), button);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(command);
      } catch { // a page that is a file, in some browsers
        getSelection().selectAllChildren(line.firstChild);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    return line;
  }
  const quoted = (text) => (/^[\w./+=@%,:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const READERS = { gz: "zcat", xz: "xzcat", zst: "zstdcat", bz2: "bzcat" };
  const whole = (dataset, run, path) =>
    `${record.folders.raw}/${dataset}/${path.startsWith("./") ? `${run.id}/${path.slice(2)}` : path}`;
  function linesOf(dataset, run, [path, , first, last]) {
    const file = whole(dataset, run, path), reader = READERS[path.split(".").pop()] || "cat";
    return `${reader} ${quoted(file)} | sed -n '${first},${last}p'`;
  }
  // the runs of a set: {data set: [first, last, first, last, ...]}
  function runsOfSet(set) {
    if (set === null || set === undefined) return [];
    return Object.entries(record.sets[set]).flatMap(([dataset, pairs]) => {
      const found = [];
      for (let i = 0; i < pairs.length; i += 2)
        for (let n = pairs[i]; n <= pairs[i + 1]; n += 1) found.push([dataset, record.runs[dataset][n]]);
      return found;
    });
  }

  // ---- runs ------------------------------------------------------------------------------------
  function selected(conditions) {
    const found = [];
    for (const [dataset, runs] of Object.entries(record.runs))
      for (const run of runs)
        if (conditions.some((c) => holds(c, dataset, run))) found.push([dataset, run]);
    return found;
  }
  function holds(condition, dataset, run) {
    return Object.entries(condition).every(([name, wanted]) => {
      const value = name === "dataset" ? dataset : run[name];
      return [wanted].flat().some((w) => same(w, value));
    });
  }
  const same = (a, b) =>
    typeof a === "number" && typeof b === "number" ? Math.abs(a - b) <= 1e-6 * Math.abs(b) : a === b;

  function fileRow(dataset, run, [path, sha256, first, last, used]) {
    const lines = first === null ? "none" : `${first} to ${last}`;
    const count = used === null ? "whole file" : `${used} used`;
    const name = path.startsWith("./") ? path.slice(2) : path;
    return make("tr", {}, make("td", {}, inRepository(whole(dataset, run, path), null, code(name))), make("td", {}, `${lines} (${count})`),
      make("td", { class: "sha256" }, code(sha256)));
  }
  function runItem([dataset, run], reads = null) {
    const summary = make("summary", {}, code(`${record.folders.raw}/${dataset}/${run.id}`));
    const item = make("details", { "data-run": run.id, "data-dataset": dataset }, summary);
    item.addEventListener("toggle", () => {
      if (!item.open || item.children.length > 1) return;
      if (!run.files.length) { // a page with a ledger
        if (!item.nextElementSibling) item.append(series(run) || "");
        return;
      }
      const head = make("tr", {}, ...["File", "Lines", "SHA-256"].map((t) => make("th", {}, t)));
      const rows = run.files.map((file) => fileRow(dataset, run, file));
      const every = make("div", { class: "table-scroll", tabindex: "0" },
        make("table", {}, make("thead", {}, head), make("tbody", {}, rows)));
      const read = reads ? run.files.filter(([, , first, , used, kind]) =>
        first !== null && reads.includes(kind) && (used !== null || kind === "record")) : [];
      for (const file of read) {
        const [path, , first, last, used] = file, n = used === null ? last - first + 1 : used;
        const of = used === null ? "the whole file" : `lines ${first} to ${last}, ${n} of them read`;
        item.append(make("div", { class: "log" }, code(path.replace("./", "")), ` ${of}`),
          copyLine(linesOf(dataset, run, file)));
      }
      item.append(read.length ? fold(`All ${run.files.length} files of the run, with SHA-256`, every) : every);
      if (!item.nextElementSibling) item.append(series(run) || "");
    });
    return item;
  }
  // throughput of a run's flows over time, in tenths of Mb/s a bin
  function series({ series }) {
    if (!series) return null;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const top = Math.max(1, ...series.flat()), most = (top / 10).toPrecision(3);
    svg.setAttribute("viewBox", "0 0 240 50");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `Throughput of the run's flows over time, up to ${most} Mb/s`);
    series.forEach((flow, index) => {
      const points = flow.map((value, bin) => value === null ? null
        : `${(240 * (bin + 0.5)) / flow.length},${48 - (46 * value) / top}`);
      const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
      line.setAttribute("points", points.filter(Boolean).join(" "));
      line.setAttribute("class", `flow flow${(index % 3) + 1}`);
      svg.append(line);
    });
    const flows = series.length === 2 ? "first flow: solid line, second flow: dashed" : `${series.length} flows`;
    return make("figure", { class: "evidence-series" }, svg,
      make("figcaption", {}, `Throughput over the run, ${flows}; top: ${most} Mb/s`));
  }
  // runs by data set, found by words of their names
  function runTable(runs, title, reads, drawn = false) {
    if (!runs.length) return [];
    const of = new Map();
    for (const [dataset] of runs) of.set(dataset, (of.get(dataset) || 0) + 1);
    const said = [...of].map(([name, n]) => `${n.toLocaleString("en")} of ${name}`).join(", ");
    const list = make("div", { class: "evidence-runs" }), more = make("button", { type: "button" });
    const search = make("input", { type: "search", placeholder: "Filter: bic rtt100 r2",
      "aria-label": "Filter the runs by words of their names" });
    let all = false;
    function show() {
      const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = runs.filter(([dataset, run]) =>
        wanted.every((word) => `${dataset}/${run.id}`.toLowerCase().includes(word)));
      const shown = all ? found : found.slice(0, SHOWN);
      list.replaceChildren(...shown.map((run) => drawn
        ? make("div", {}, runItem(run, reads), series(run[1]) || "") : runItem(run, reads)));
      more.hidden = shown.length === found.length;
      more.textContent = `Show all ${found.length.toLocaleString("en")}`;
    }
    search.addEventListener("input", show);
    more.addEventListener("click", () => { all = true; show(); });
    show();
    return [heading(`${title}: ${said}`), ...(runs.length > SHOWN ? [search] : []), list, more];
  }
  function runList(conditions, drawn = false) {
    const runs = selected(conditions);
    if (!runs.length) return [heading("Runs"), make("p", {}, "No run enters: it is computed from " +
      "formulas or settings alone.")];
    const list = make("div", { class: "evidence-runs" }, runs.slice(0, SHOWN).map((run) =>
      drawn ? make("div", {}, runItem(run), series(run[1])) : runItem(run)));
    const files = runs.some(([, run]) => run.files.length) ? " and their raw files" : "";
    const parts = [heading(runs.length === 1 ? `The run${files.replace("their", "its")}`
      : `The ${runs.length.toLocaleString("en")} runs${files}`), list];
    if (runs.length > SHOWN) {
      const more = make("button", { type: "button" }, `List all ${runs.length.toLocaleString("en")}`);
      more.addEventListener("click", () => {
        list.append(...runs.slice(SHOWN).map(runItem));
        more.remove();
      });
      parts.push(more);
    }
    if (files) parts.push(make("p", { class: "quiet" }, "Lines count from 1 in the decompressed file, of the " +
      "steady state where lines have a time; SHA-256 of the file as it is on disk."));
    return parts;
  }

  // ---- how it was made -------------------------------------------------------------------------
  function steps(paths, first = null) {
    const order = first ? [first] : [], seen = new Set(), ahead = [...paths];
    while (ahead.length) {
      const path = ahead.shift(), made = record.made[path];
      if (!made || seen.has(path)) continue;
      seen.add(path);
      order.push([path, made]);
      ahead.push(...made.inputs);
    }
    const rules = new Map();
    for (const [path, made] of order) {
      if (!rules.has(made.rule)) rules.set(made.rule, { outputs: [], inputs: new Set() });
      rules.get(made.rule).outputs.push(path);
      made.inputs.forEach((name) => rules.get(made.rule).inputs.add(name));
    }
    return make("ol", { class: "evidence-steps" }, [...rules].map(([name, step]) => {
      const rule = record.rules[name] || {}, settings = rule.settings || {};
      const said = Object.entries(settings).map(([k, v]) => `${k}: ${words(v)}`).join("; ");
      return make("li", {},
        code(name), " (", rule.file ? place(rule.file, rule.line) : "unknown",
        rule.script ? [", ", place(rule.script)] : "", ")",
        functionsOf(step.outputs),
        make("div", { class: "quiet" }, "made ", files(step.outputs)),
        step.inputs.size ? make("div", { class: "quiet" }, "from ", files([...step.inputs])) : null,
        said ? make("div", { class: "quiet" }, "with ", said) : null);
    }));
  }
  // a file of the repository, with its line: a link where the site says an address
  function inRepository(path, line, words) {
    if (!record.repository || /^(\/|\.\.|\w+:)/.test(path)) return words; // of a tool elsewhere
    const at = (record.revision || {}).commit || "HEAD";
    const inside = path.split("/").map(encodeURIComponent).join("/");
    const href = `${record.repository.replace(/\/$/, "")}/blob/${at}/${inside}${line ? `#L${line}` : ""}`;
    return make("a", { href }, words);
  }
  const place = (path, line) => inRepository(path, line, line ? `${path}, line ${line}` : path);
  function functionsOf(outputs) {
    const made = outputs.filter((path) => (record.functions || {})[path]);
    return made.slice(0, 6).map((path) => {
      const [file, name, line] = record.functions[path];
      return make("div", { class: "quiet" }, "function ", code(name), ", ", place(file, line));
    });
  }
  function files(paths) {
    const short = (path) => path.replace(`${record.folders.derived}/`, "").replace(".parquet", "");
    const shown = paths.slice(0, 6).map(short).join(", ");
    return shown + (paths.length > 6 ? ` and ${paths.length - 6} more` : "");
  }
  const words = (value) => typeof value === "object" && value !== null
    ? JSON.stringify(value).replace(/["{}[\]]/g, "").replace(/,/g, ", ").replace(/:/g, " ") : `${value}`;

  function madeBy() {
    if (!record.software) return [];
    const git = record.revision;
    const tree = !git ? "rendered outside a git repository"
      : git.clean ? `commit ${git.commit}, nothing changed since`
        : `commit ${git.commit} and changes that are not committed (${git.changed.join(", ")})`;
    const software = Object.entries(record.software).map((pair) => pair.join(" ")).join(", ");
    return [heading("Software"), make("p", {}, `${software}; ${tree}.`)];
  }

  // ---- a number, a figure, a table -------------------------------------------------------------
  const facts = (pairs) => make("div", { class: "table-scroll", tabindex: "0" },
    make("table", { class: "facts" }, make("tbody", {}, pairs.map(([name, value]) =>
      make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, `${value}`))))));
  function fold(title, ...content) {
    return make("details", { class: "fold" }, make("summary", {}, title), ...content);
  }
  const COMMANDS = "Lines count from 1 in the decompressed file. Commands are for the folder of the repository.";

  function rowsOfPart(part) {
    if (part.setting) return [heading("The setting"), facts([[part.setting, part.value]])];
    const n = part.rows === 1 ? "The row" : `The ${part.rows.toLocaleString("en")} rows`;
    const from = make("p", { class: "quiet" }, "of ", code(part.path), `, ${part.of.toLocaleString("en")} ` +
      `rows, each ${part.row}; the first is row ${part.first}, counted from 0`,
      (part.held || []).map(({ which, row }) => `; the ${which} is in row ${row}`).join(""));
    if (part.claim) return [heading(n), facts(Object.entries(part.claim)), from];
    const where = Object.entries(part.where);
    if (part.rows === 1)
      return [heading(n), facts([...where, ...part.head.map((name, i) => [name, part.cells[0][i]])]), from];
    const head = make("tr", {}, part.head.map((name) => make("th", {}, name)));
    const rows = part.cells.map((cells) => make("tr", {}, cells.map((cell) => make("td", {}, cell))));
    const rest = part.rows - part.cells.length;
    const table = part.head.length ? make("div", { class: "table-scroll rows", tabindex: "0" },
      make("table", {}, make("thead", {}, head), make("tbody", {}, rows))) : "";
    return [heading(where.length ? `${n}: ${where.map(([key, value]) => `${key}${/\d$/.test(key) ? ":" : ""} ${value}`).join(", ")}` : n), table,
      rest > 0 && part.head.length ? make("p", { class: "quiet" }, `and ${rest.toLocaleString("en")} more`) : "", from];
  }
  function unique(runs) {
    const seen = new Set();
    return runs.filter(([, run]) => !seen.has(run) && seen.add(run));
  }
  // a cell of a table in print, 'tbl-x:3:5': what its row and column say goes before its rows
  function cellOf(name) {
    const [label, row, column] = name.split(":"), marks = (record.cells || {})[label];
    const mark = marks && marks.find(([i, columns]) => i === Number(row) && columns.includes(Number(column)));
    if (!mark) return null;
    const link = document.querySelector(`a[data-of="${name}"]`);
    function text(element) {
      const copy = element.cloneNode(true); // of a formula what it shows, not what it was written as
      copy.querySelectorAll("annotation").forEach((written) => written.remove());
      return copy.textContent.trim();
    }
    const { parts, said } = record.behind[mark[2]];
    if (!link) return { text: name, parts, sentence: `${said}.` };
    const cell = link.closest("td"), above = text(link.closest("table").tHead.rows[0].cells[cell.cellIndex]);
    const cells = [...cell.parentElement.cells], marked = cells.findIndex((other) => other.querySelector("a.evidence"));
    const beside = cells.slice(0, marked).map(text);
    const words = [above, ...beside].filter((word) => word && word !== "–").join(", ");
    return { text: text(link), parts, sentence: `${words[0].toUpperCase()}${words.slice(1)}: ${said}.` };
  }
  const numberOf = (name) => record.numbers[name] || cellOf(name);
  function showNumber(name) {
    const number = numberOf(name), parts = number.parts;
    const paths = parts.map(({ path }) => path).filter(Boolean);
    const reads = [...new Set(parts.flatMap((part) => part.reads || []))];
    const runs = unique(parts.flatMap(({ set }) => runsOfSet(set)));
    const nulls = unique(parts.flatMap(({ null_set }) => runsOfSet(null_set)));
    const { rule } = record.made[record.variables] || {};
    open(number.text, make("p", { class: "lead" }, number.sentence), ...parts.flatMap(rowsOfPart),
      ...runTable(runs, "The runs", reads), runs.length ? make("p", { class: "quiet" }, COMMANDS) : "",
      nulls.length ? fold("The runs of the control", ...runTable(nulls, "The runs of the control", reads)) : "",
      ...(record.numbers[name] ? [heading("The same in a shell"), copyLine(`make trace NUMBER='${record.paper} ${name}'`)] : []),
      fold("How it was made, back to the logs", steps(paths, [record.variables, { rule, inputs: paths }])),
      fold("Versions and commit", ...madeBy()),
      make("p", { class: "quiet" }, make("a", { href: `#number=${name}` }, "Link to this number")));
  }
  function showPart(label, title) {
    const piece = record.pieces[label], drawn = (record.figures || {})[label];
    const known = drawn && drawn.parts.length ? drawn : null;
    const reads = known ? [...new Set(known.parts.flatMap((part) => part.reads || []))] : [];
    const runs = known ? unique(known.parts.flatMap(({ set }) => runsOfSet(set))) : [];
    const said = known ? [make("p", { class: "lead" }, `Title: ${known.title}.`),
      make("ul", {}, known.said.map((words) => make("li", {}, `${words[0].toUpperCase()}${words.slice(1)}.`)))] : [];
    open(title, ...said, make("p", { class: "quiet" }, code(piece.file)),
      ...(runs.length ? runTable(runs, "The runs", reads) : runList(piece.runs)), heading("How it was made, back to the logs"),
      steps([piece.file]), ...madeBy());
  }

  for (const link of document.querySelectorAll("a[data-of]")) {
    link.addEventListener("click", async (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      const name = link.dataset.of;
      if (!record) await load();
      if (numberOf(name)) showNumber(name);
      else showPart(name, link.getAttribute("aria-label").replace("Source of ", ""));
    });
    link.setAttribute("aria-haspopup", "dialog");
  }
  // ---- a table by keyboard: one Tab stop; arrows go from number to number -------------------------
  for (const table of document.querySelectorAll("table")) {
    const links = [...table.querySelectorAll("td > a.evidence[data-of^='tbl-']")];
    if (links.length < 2) continue;
    const place = ({ parentElement: { cellIndex, parentElement } }) => [parentElement.rowIndex, cellIndex];
    function beside(here, down, across) {
      const [row, column] = place(here);
      const away = (link) => {
        const [otherRow, otherColumn] = place(link);
        const ahead = down ? down * (otherRow - row) : otherRow === row ? across * (otherColumn - column) : 0;
        return ahead > 0 ? 1000 * (down ? ahead : 0) + Math.abs(otherColumn - column) : Infinity;
      };
      const nearest = links.reduce((best, link) => (away(link) < away(best) ? link : best), here);
      return away(nearest) < Infinity ? nearest : here;
    }
    let at = links[0];
    for (const link of links) if (link !== at) link.tabIndex = -1;
    const go = (to) => { at.tabIndex = -1; at = to; at.tabIndex = 0; };
    const steps = { ArrowRight: (h) => beside(h, 0, 1), ArrowLeft: (h) => beside(h, 0, -1),
      ArrowDown: (h) => beside(h, 1, 0), ArrowUp: (h) => beside(h, -1, 0), Home: () => links[0], End: () => links.at(-1) };
    table.addEventListener("focusin", ({ target }) => links.includes(target) && go(target));
    table.addEventListener("keydown", (event) => {
      if (!links.includes(event.target) || !steps[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      steps[event.key](event.target).focus();
    });
  }
  // ...#number=name: a link from another page, as from the index
  async function asked() {
    const name = decodeURIComponent(location.hash).match(/^#number=(.+)$/);
    if (!name) return;
    await load();
    if (numberOf(name[1])) showNumber(name[1]);
  }
  window.addEventListener("hashchange", asked);
  asked();
  (window.requestIdleCallback || setTimeout)(load); // so that the first panel need not wait

  // ---- live charts -----------------------------------------------------------------------------
  const charts = document.getElementById("charts");
  if (!charts) return;
  const specs = JSON.parse(await unpack(charts.textContent));
  chartSpecs = specs;
  if (window.evenflow) window.evenflow.specs = specs;
  const tip = make("div", { class: "chart-tip", "aria-hidden": "true", hidden: "" });
  document.body.append(tip);
  const seen = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting)
    .forEach(({ target }) => { seen.unobserve(target); draw(target); }), { rootMargin: "300px" });
  for (const label of Object.keys(specs)) {
    const figure = document.getElementById(label);
    if (figure && figure.querySelector("img")) seen.observe(figure);
  }

  let vega = null; // one for the page, when the first chart comes into view
  function loaded() {
    vega = vega || unpack(document.getElementById("vega").textContent).then((text) => {
      document.head.append(make("script", {}, JSON.parse(text))); // the page's policy has its hash
    });
    return vega;
  }
  // ---- a chart that fits: panels below each other where the page is narrow ----------------------
  const LETTER = 6.4, SMALL_LETTER = 5, PANEL_EDGE = 54; // px, as of evenflow.charts.cells
  const NARROW = 480; // px, where words of a legend go below each other
  function broken(words, width, letter) {
    const lines = [[]];
    for (const word of [words].flat().join(" ").split(" ")) {
      if ([...lines.at(-1), word].join(" ").length * letter > width && lines.at(-1).length) lines.push([]);
      lines.at(-1).push(word);
    }
    return lines.map((line) => line.join(" "));
  }
  function fitted(view, room) {
    for (const part of [view.hconcat, view.vconcat, view.concat, view.layer].flat().filter(Boolean))
      fitted(part, room);
    const { legend, type } = (view.encoding || {}).color || {};
    if (legend && type === "nominal" && room < NARROW)
      Object.assign(legend, { columns: 2, titleOrient: "top", orient: "top" });
    if (view.concat && view.columns > 1) {
      const widths = view.concat.map((panel) => panel.width).filter(Number.isFinite);
      const width = Math.max(...widths) + PANEL_EDGE;
      if (widths.length) view.columns = Math.max(1, Math.min(view.columns, Math.floor((room + 12) / width)));
    }
    if ((view.concat || view.vconcat || view.hconcat) && view.title && view.title.text) {
      const wide = [view.title.text].flat().some((line) => line.length * LETTER > room);
      if (wide) view.title.text = broken(view.title.text, room, LETTER);
      if (view.title.subtitle) view.title.subtitle = broken(view.title.subtitle, room, SMALL_LETTER);
    }
    return view;
  }

  const warn = console.warn; // what Vega-Lite only remarks of a chart is for its author
  let drawing = 0;
  async function draw(figure) {
    const image = figure.querySelector("img"), room = figure.clientWidth - 24;
    const spec = fitted(structuredClone(specs[figure.id]), room);
    const chart = make("div", { class: "live-chart", role: "group", "aria-label": image.alt });
    await loaded();
    spec.config.mark = Object.assign({ tooltip: { content: "data" } }, spec.config.mark);
    if (room < NARROW) spec.config.legend = { ...spec.config.legend, orient: "top" };
    const names = namesOf(spec);
    const tooltip = (handler, event, item, value) => showTip(event, item, value, names);
    // ast: expressions are interpreted, not compiled, which the page's policy forbids
    const options = { renderer: "svg", actions: false, mode: "vega-lite", tooltip, ast: true };
    drawing += 1;
    console.warn = () => {};
    const { view } = await window.vegaEmbed(chart, spec, options).finally(() => {
      drawing -= 1;
      if (!drawing) console.warn = warn;
    });
    image.after(chart);
    image.classList.add("still");
    view.addEventListener("click", (event, item) => {
      const { mark: { role } = {}, datum } = item || {};
      if (role && role.startsWith("title")) return figure.querySelector("a.evidence-source")?.click();
      if (datum) runsBehind(figure.id, datum, names);
    });
    byKeyboard(chart, figure.id, names, image.alt);
    figure.dataset.live = "yes";
  }

  // ---- a chart by keyboard: one Tab stop; arrows go from mark to mark, Enter opens what is behind --
  function byKeyboard(chart, label, names, alternative) {
    const svg = chart.querySelector("svg");
    const said = make("div", { class: "chart-said", "aria-live": "polite" });
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    svg.setAttribute("aria-label", `Chart: arrows go from mark to mark, Enter shows the runs. ${alternative}`);
    chart.append(said);
    let at = null;
    const leads = ({ __data__: { datum } }) =>
      Object.keys(datum).some((name) => name.startsWith(ROW)) || conditionsOf(label, datum).length > 0;
    // those that lead to runs, else all; of a cell not its text as well
    function marks() {
      const every = [...svg.querySelectorAll("[aria-roledescription$=' mark']")]
        .filter((mark) => mark.__data__ && mark.__data__.datum && told(mark.__data__.datum, names).length);
      const found = record && every.some(leads) ? every.filter(leads) : every;
      const drawn = found.filter((mark) => !mark.getAttribute("aria-roledescription").startsWith("text"));
      return drawn.length ? drawn : found;
    }
    function leave() {
      if (at) at.classList.remove("at");
      at = null;
      tip.hidden = true;
    }
    function go(to) {
      leave();
      at = to;
      at.classList.add("at");
      const { right, top } = at.getBoundingClientRect(), { datum } = at.__data__;
      showTip({ clientX: right, clientY: top }, { datum }, datum, names);
      said.textContent = told(datum, names).map((pair) => pair.join(" ")).join(", ");
      at.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    const middle = (mark) => {
      const { x, y, width, height } = mark.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    };
    // the nearest mark above or below; from left to right all are reached
    function beside(every, down) {
      const [x, y] = middle(at);
      const far = (mark) => {
        const [otherX, otherY] = middle(mark);
        return down * (otherY - y) > 1 ? Math.hypot(3 * (otherX - x), otherY - y) : Infinity;
      };
      const nearest = every.reduce((best, mark) => (far(mark) < far(best) ? mark : best), at);
      return far(nearest) < Infinity ? nearest : at;
    }
    svg.addEventListener("keydown", (event) => {
      const every = marks();
      if (!every.length) return;
      const here = every.indexOf(at), last = every.length - 1;
      const steps = { ArrowRight: () => every[Math.min(here + 1, last)], ArrowLeft: () => every[Math.max(here - 1, 0)],
        ArrowDown: () => (at ? beside(every, 1) : every[0]), ArrowUp: () => (at ? beside(every, -1) : every[0]),
        Home: () => every[0], End: () => every[last] };
      if (steps[event.key]) go(steps[event.key]());
      else if (event.key === "Enter" && at) runsBehind(label, at.__data__.datum, names);
      else if (event.key === "Escape") leave();
      else return;
      event.preventDefault();
    });
    svg.addEventListener("blur", () => { tip.hidden = true; });
  }

  const NAMES = { panel: "Scenario", dataset_id: "Data set", ccas: "Flows", rtt_ms: "RTT (ms)",
    buffer_pct: "Buffer (% of BDP)", value: "Value", mean: "Mean", jfi: "JFI", n: "n", n_cells: "Cells",
    n_runs: "Runs", d: "D", w: "W", simulation_n: "n of S", testbed_n: "n of T",
    simulation_mean: "Mean of S", testbed_mean: "Mean of T",
    mbps: "Throughput (Mb/s)", t_end_s: "Time (s)", verdict: "Verdict", aqm: "Queue" };
  const SILENT = new Set(["part", "scenario_id", "role", "metric", "base_rtt_s", "buffer_bdp", "sd", "ci_low",
    "ci_high", "welch_low", "welch_high", "cca", "flow_id", "run_id", "text", "label", "letter", "log_ratio"]);
  const ROW = "row of "; // and a table's name: the place of the row that a mark was drawn from
  const digits = (value) => typeof value === "number" ? `${Number(value.toPrecision(4))}` : `${value}`;
  // what the chart's own axes and legends call its columns
  function namesOf(view, found = {}) {
    for (const channel of Object.values(view.encoding || {})) {
      const title = channel.title || (channel.legend || {}).title || (channel.axis || {}).title;
      if (channel.field && typeof title === "string" && title) found[channel.field] = title;
    }
    for (const name of ["layer", "hconcat", "vconcat", "concat"])
      for (const part of view[name] || []) namesOf(part, found);
    if (view.spec) namesOf(view.spec, found);
    return found;
  }
  function told(datum, names) {
    const scale = datum.mean && datum.value !== undefined ? datum.value / datum.mean : 1;
    const shown = Object.entries(datum).filter(([name, value]) => value !== null && typeof value !== "object" &&
      typeof value !== "boolean" && !SILENT.has(name) && !name.startsWith(ROW) && !name.endsWith("_sort_index") && !(name === "mean" && datum.value !== undefined));
    const lines = shown.map(([name, value]) =>
      [names[name] || NAMES[name] || name.replaceAll("_", " "), digits(value)]);
    if (typeof datum.ci_low === "number")
      lines.push(["Interval", `${digits(datum.ci_low * scale)} to ${digits(datum.ci_high * scale)}`]);
    else if (typeof datum.welch_low === "number")
      lines.push(["Interval of D", `${digits(datum.welch_low)} to ${digits(datum.welch_high)}`]);
    else if (datum.is_sure === false) lines.push(["Interval", "none: one run"]);
    if (datum.contested === false) lines.push(["Uncontested", "no run lost a packet at the bottleneck"]);
    return lines;
  }
  function showTip(event, item, value, names) {
    const datum = value && item ? item.datum : null;
    tip.hidden = !datum;
    if (!datum) return;
    tip.replaceChildren(...told(datum, names).map(([name, text]) => make("div", {}, make("b", {}, name), ` ${text}`)));
    const width = tip.offsetWidth, left = Math.min(event.clientX + 14, innerWidth - width - 8);
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
  }

  // the rows that a mark was drawn from, and what the record knows of them
  const rowsOfMark = (datum) => Object.entries(datum).filter(([name]) => name.startsWith(ROW))
    .map(([name, at]) => ({ of: (record.marks || {})[name.slice(ROW.length).replace(/ \(\d\)$/, "")],
      places: [at].flat().filter((place) => typeof place === "number") }))
    .filter(({ of, places }) => of && places.length);
  const placesInWords = (places) => places.length === 1 ? `row ${places[0]}, counted from 0, of `
    : `${places.length.toLocaleString("en")} rows, the first is row ${Math.min(...places)}, counted from 0, of `;
  // the runs of a mark without a row: those of its figure that have what the mark says of runs
  async function runsBehind(label, datum, names) {
    if (!record) await load();
    const lines = told(datum, names).map(([name, text]) => make("tr", {}, make("th", { scope: "row" }, name),
      make("td", {}, text)));
    const values = make("table", {}, make("tbody", {}, lines));
    const rows = rowsOfMark(datum);
    const runs = unique(rows.flatMap(({ of, places }) => places.flatMap((place) => runsOfSet(of.rows[place]))));
    const behind = rows.length && runs.length ? [] : conditionsOf(label, datum);
    if (rows.length && !selected(behind).length) {
      const reads = [...new Set(rows.flatMap(({ of }) => of.reads))];
      tip.hidden = true;
      open("What is behind this mark", values, ...rows.map(({ of, places }) => make("p", { class: "quiet" },
        placesInWords(places), code(of.path), `, each ${of.row}`)), ...linksTo(runs),
        ...runTable(runs, "The runs", reads, true), make("p", { class: "quiet" }, COMMANDS),
        fold("How it was made, back to the logs", steps(rows.map(({ of }) => of.path))),
        fold("Versions and commit", ...madeBy()));
      return;
    }
    if (!behind.length) return;
    tip.hidden = true;
    open("Runs behind this mark", values, ...linksTo(selected(behind)),
      ...runList(behind, true), ...madeBy());
  }
  // what the mark says of its runs, of those of its figure; nothing where it says nothing
  function conditionsOf(label, datum) {
    const own = {};
    for (const name of ["role", "ccas", "base_rtt_s", "buffer_bdp", "aqm"])
      if (datum[name] !== undefined && datum[name] !== null) own[name] = datum[name];
    if (datum.run_id) own.id = datum.run_id;
    if (datum.scenario_id) own.scenario = datum.scenario_id;
    if (!Object.keys(own).length) return [];
    const ofPart = (record.of_part || {})[datum.part];
    const datasets = datum.dataset_id ? [datum.dataset_id] : ofPart ? [ofPart]
      : record.pieces[label].runs.flatMap((c) => c.dataset);
    return [{ dataset: datasets, ...own }];
  }
  // links to the runs' scenarios on the pages of their data sets, which open there
  function linksTo(runs) {
    const folder = record.datasets === undefined ? "../datasets/" : record.datasets;
    const found = new Map();
    for (const [dataset, { scenario }] of runs) {
      if (!scenario) continue;
      const plain = (sign) => `-${sign.codePointAt(0).toString(16)}-`; // as dataset.js reads it
      const anchor = `#scenario-${scenario.replace(/[^A-Za-z0-9]/gu, plain)}`;
      const page = `${folder}${encodeURIComponent(dataset)}/index.html`;
      const link = make("a", { class: "scenario-row", href: page + anchor }, `${dataset}: ${scenario}`);
      found.set(page + anchor, make("li", {}, link));
    }
    const links = [...found.values()].slice(0, 12);
    return links.length ? [heading("On the page of the data set"), make("ul", {}, links)] : [];
  }
})();
