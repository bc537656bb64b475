// The overview: a table of pairs, drawn anew when a switch is moved. The page holds the table of one
// choice already (pages/overview.py makes the same cells), so that it is read without this script.
"use strict";
(() => {
  const place = document.getElementById("overview");
  const data = JSON.parse(document.getElementById("overview-data").textContent);
  const [form, table, detail] = ["form", "table", ".detail"].map((s) => place.querySelector(s));
  const STRONG = 0.745; // of the way to the colour of an end: beyond it letters change theirs
  const names = data.ccas.map(([, label]) => label);
  const anchor = (text) => text.replace(/[^A-Za-z0-9]/gu, (sign) => `-${sign.codePointAt(0).toString(16)}-`);
  const rows = data.rows.map(([set, a, b, rtt1, rtt2, buffer, n, log, half, unsteady, limited, use, of, ...pieces]) => ({
    set, a, b, rtt1, rtt2, n, unsteady, limited, use, log: log / 1e3, half: half === null ? null : half / 1e3,
    rtt: rtt1 === rtt2 ? `${rtt1}` : `${rtt1} / ${rtt2}`, buffer: data.buffers[buffer],
    href: `datasets/${encodeURIComponent(data.datasets[of])}/index.html#scenario-${anchor(pieces.map((i) => data.pieces[i]).join("/"))}`,
  }));
  const share = (log) => 1 / (1 + Math.exp(-log));
  const percent = (part) => {
    const value = 100 * part;
    if (value < 0.05 || value > 99.95) return value < 50 ? "<0.1" : ">99.9";
    return value < 0.95 || value > 99.05 ? value.toFixed(1) : value.toFixed(0);
  };
  const runs = (n) => (n === 1 ? "1 run" : `${n} runs`);
  function interval(row, sign) {
    if (row.half === null) return row.n === 1 ? "" : "alike";
    return [-row.half, row.half].map((end) => percent(share(sign * row.log + end))).join("–");
  }
  const unique = (list) => [...new Set(list)];
  function make(tag, attributes = {}, ...children) {
    const space = tag === "svg" || tag === "path" ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml";
    const element = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== "") element.setAttribute(name, value);
    element.append(...children.flat().filter((child) => child !== null));
    return element;
  }

  // ---- the choice, kept in the address: a view can be linked, and going back brings it again -----
  const state = { set: 0, rtt: "", buffer: "" };
  const isApart = (rtt) => rtt.includes("/");
  const last = (rtt) => parseFloat(rtt.split("/").at(-1));
  const rttsOf = (set) => unique(rows.filter((r) => r.set === set)
    .sort((x, y) => isApart(x.rtt) - isApart(y.rtt) || x.rtt2 - y.rtt2).map(({ rtt }) => rtt));
  const buffersOf = (set) => unique(rows.filter((r) => r.set === set).map(({ buffer }) => buffer))
    .sort((x, y) => x.endsWith("MB") - y.endsWith("MB") || parseFloat(x) - parseFloat(y));
  function nearest(list, wanted) {
    if (list.includes(wanted)) return wanted;
    const far = (x) => Math.abs((last(x) || 0) - (last(wanted) || 0));
    const alike = list.filter((x) => isApart(x) === isApart(wanted));
    return (alike.length ? alike : list).reduce((best, x) => (far(x) < far(best) ? x : best));
  }
  const plain = (text) => encodeURIComponent(text.replaceAll(" ", ""));
  // what is chosen, or what is nearest to it of what was measured
  function settle() {
    state.rtt = nearest(rttsOf(state.set), state.rtt);
    state.buffer = nearest(buffersOf(state.set), state.buffer);
    const mine = rows.filter((r) => r.set === state.set);
    if (mine.some((r) => r.rtt === state.rtt && r.buffer === state.buffer)) return;
    const here = mine.filter((r) => r.rtt === state.rtt);
    state.buffer = nearest(unique(here.map(({ buffer }) => buffer)), state.buffer);
  }
  function choose(change) {
    Object.assign(state, change);
    settle();
    history.replaceState(null, "", `#overview~${state.set}~${plain(state.rtt)}~${plain(state.buffer)}`);
    draw();
  }
  function radios(name, values, current, words, act) {
    const box = form.querySelector(`[data-switch=${name}]`), had = box.contains(document.activeElement);
    box.closest("fieldset").hidden = values.length < 2;
    box.replaceChildren(...values.map((value) => {
      const input = make("input", { type: "radio", name, value });
      input.checked = value === current;
      input.addEventListener("change", () => act(value));
      return make("label", {}, input, make("span", {}, words(value)));
    }));
    if (had) box.querySelector(":checked").focus();
  }
  function switches() {
    const set = data.sets[state.set], rates = unique(data.sets.map(({ mbps }) => mbps));
    radios("rate", rates, set.mbps, (rate) => `${rate} Mb/s`, (rate) => {
      const like = (s) => (s.mbps === rate) * (1 + (s.platform === set.platform));
      choose({ set: data.sets.reduce((best, s, i) => (like(s) > like(data.sets[best]) ? i : best), 0) });
    });
    const sets = [...data.sets.keys()].filter((i) => data.sets[i].mbps === set.mbps);
    radios("set", sets, state.set, (i) => [data.sets[i].platform, make("small", {}, data.sets[i].hosts)],
      (i) => choose({ set: i }));
    radios("buffer", buffersOf(state.set), state.buffer, (buffer) => buffer, (buffer) => choose({ buffer }));
    const every = rttsOf(state.set), apart = isApart(state.rtt);
    const other = (is) => every.find((rtt) => isApart(rtt) === is);
    radios("apart", every.some(isApart) && every.some((rtt) => !isApart(rtt)) ? [false, true] : [], apart,
      (is) => (is ? `flow 1 at ${other(true).split(" ")[0]} ms` : "the same for both"), (is) => choose({ rtt: other(is) }));
    radios("rtt", apart ? [] : every.filter((rtt) => !isApart(rtt)), state.rtt, (rtt) => `${rtt} ms`, (rtt) => choose({ rtt }));
  }

  // ---- the table ----------------------------------------------------------------------------------
  // the share over all RTTs at this buffer, a small line
  function line(pair, sign) {
    const list = rttsOf(state.set).filter((rtt) => !isApart(rtt));
    const points = list.map((rtt, i) => {
      const row = pair.find((r) => r.rtt === rtt && r.buffer === state.buffer);
      const x = list.length < 2 ? 50 : (100 * i) / (list.length - 1);
      return row && [x.toFixed(1), (20 - 20 * share(sign * row.log)).toFixed(1)].join(" ");
    });
    const found = points.filter(Boolean), now = points[list.indexOf(state.rtt)];
    return make("svg", { viewBox: "-3 -2 106 24", preserveAspectRatio: "none", "aria-hidden": "true", class: "spark" },
      make("path", { d: "M0 10H100", class: "half" }),
      found.length > 1 ? make("path", { d: `M${found.join("L")}` }) : null,
      now ? make("path", { class: "now", d: `M${now}h0` }) : null);
  }
  function cell(mine, a, b, rtt) {
    const here = (r) => r.rtt === rtt && r.buffer === state.buffer;
    let pair = mine.filter((r) => r.a === a && r.b === b), sign = 1, row = pair.findLast(here);
    if (!row && a !== b) { // the other order of flows
      pair = mine.filter((r) => r.a === b && r.b === a);
      [sign, row] = [-1, pair.findLast(here)];
    }
    if (!row) return make("td", { class: "none" }, make("span", {}, "–", make("span", { class: "small" }, "not measured")));
    const part = share(sign * row.log);
    const marks = { unsteady: row.unsteady, limited: row.limited, second: sign < 0,
      strong: Math.abs(2 * part - 1) > STRONG, once: row.n === 1, own: a === b, less: part < 0.5 };
    const link = make("a", { href: row.href }, make("b", {}, (row.unsteady ? "~" : "") + percent(part)),
      make("span", { class: "small" }, `${interval(row, sign)} `, make("i", {}, row.n === 1 ? "1 run" : `n ${row.n}`)),
      isApart(state.rtt) ? null : line(pair, sign));
    const tell = () => { detail.replaceChildren(...words(row, sign, a, b)); };
    link.addEventListener("focus", tell);
    link.addEventListener("pointerenter", tell);
    const named = Object.keys(marks).filter((name) => marks[name]).join(" ");
    return make("td", { class: named, style: `--p:${Math.abs(2 * part - 1).toFixed(3)}` }, link);
  }
  // a cell in words
  function words(row, sign, a, b) {
    const what = row.rtt1 !== row.rtt2 ? `${names[a]} with an RTT of ${row.rtt1} ms, against itself with ${row.rtt2} ms,`
      : a === b ? `The first of two ${names[a]} flows` : `${names[a]} against ${names[b]}`;
    const how = row.half === null ? runs(row.n)
      : `${data.percent} % interval ${interval(row, sign).replace("–", " to ")}, ${runs(row.n)}`;
    const more = [
      sign < 0 ? `It was flow 2: the order that was run, ${names[b]} first, is shown from its side.` : "",
      row.unsteady ? "Not steady: half of the runs or more still changed between the halves of what is averaged." : "",
      row.limited ? "Uncontested: no packet was lost at the bottleneck." : "",
      row.use === null ? "" : `Together they fill ${(row.use / 10).toFixed(0)} % of the link.`,
    ].filter(Boolean).join(" ");
    return [make("p", {}, make("strong", {}, `${what} gets ${percent(share(sign * row.log))} % of what both carry`), ` (${how}). ${more}`),
      make("p", {}, make("a", { href: row.href, tabindex: "-1" }, row.n === 1 ? "See the run" : `See the ${row.n} runs`))];
  }
  function draw() {
    switches();
    const mine = rows.filter((r) => r.set === state.set), apart = isApart(state.rtt);
    const now = mine.filter((r) => r.rtt === state.rtt && r.buffer === state.buffer);
    const order = unique(mine.flatMap((r) => [r.a, r.b])).sort((x, y) => x - y);
    const columns = apart ? rttsOf(state.set).filter(isApart) : order;
    const mean = (a) => {
      const found = now.filter((r) => r.a !== r.b && (r.a === a || r.b === a)).map((r) => share(r.a === a ? r.log : -r.log));
      return found.length ? percent(found.reduce((x, y) => x + y) / found.length) : "–";
    };
    const corner = apart ? `flow of ${columns[0].split(" ")[0]} ms gets … % against one of` : "gets … % against";
    table.tHead.replaceChildren(make("tr", {}, make("td", {}, make("span", { class: "corner" }, corner)),
      columns.map((c) => make("th", { scope: "col" }, apart ? `${last(c)} ms` : names[c])),
      apart ? [] : make("th", { scope: "col", class: "mean" }, "average")));
    table.tBodies[0].replaceChildren(...order.map((a) => make("tr", {}, make("th", { scope: "row" }, names[a]),
      columns.map((c) => (apart ? cell(mine, a, a, c) : cell(mine, a, c, state.rtt))),
      apart ? [] : make("td", { class: "mean" }, mean(a)))));
    const set = data.sets[state.set];
    table.caption.textContent = `${set.mbps} Mb/s, ${set.platform} (${set.hosts}), ` +
      `${apart ? `RTT of flow 1 ${columns[0].split(" ")[0]} ms` : `RTT ${state.rtt} ms`}, buffer ${state.buffer}.`;
    stops(table.tBodies[0].querySelector("a"));
  }

  // one stop for Tab, arrows inside; the links stay links
  function stops(current) {
    for (const link of table.tBodies[0].querySelectorAll("a")) link.tabIndex = link === current ? 0 : -1;
  }
  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  table.addEventListener("keydown", (event) => {
    const from = event.target.closest("td"), step = STEPS[event.key];
    if (!from || !step) return;
    event.preventDefault();
    let [down, right] = [from.parentElement.sectionRowIndex, from.cellIndex];
    for (;;) { // past what was not measured
      [down, right] = [down + step[0], right + step[1]];
      const next = right > 0 && table.tBodies[0].rows[down]?.cells[right];
      if (!next) return;
      const link = next.querySelector("a");
      if (link) return link.focus();
    }
  });
  table.addEventListener("focusin", (event) => stops(event.target));

  place.classList.add("live");
  detail.append(make("p", {}, "Choose a cell, with the pointer or with Tab and the arrow keys: it is described here. It leads to its runs."));
  const [first, rtt, buffer] = JSON.parse(place.dataset.choice);
  function asked() {
    const [name, set, ...rest] = location.hash.split("~");
    if (name !== "#overview" || !data.sets[set]) return false;
    const known = (list, wanted) => list.find((text) => plain(text) === wanted);
    state.set = Number(set);
    state.rtt = known(rttsOf(state.set), rest[0]) || `${rtt}`;
    state.buffer = known(buffersOf(state.set), rest[1]) || buffer;
    settle();
    return true;
  }
  if (!asked()) Object.assign(state, { set: first, rtt: `${rtt}`, buffer });
  window.addEventListener("hashchange", () => asked() && draw());
  draw();
})();
