// What a reader can turn on the page of a data set: small multiples over the factors, runs over time,
// tables of settings and runs, one setting with its runs, and dataset.yml with what is ticked. The data
// are in the page (#now, #late, #points: evenflow.pages.dataset.packed). Charts are SVG with positions in
// per cent: they fill any width without being drawn again, and their type keeps its size; lines lie in a
// nested SVG that may stretch.
"use strict";
(async () => {
  const root = document.documentElement;
  root.classList.add("live");
  const one = (query, box = document) => box.querySelector(query);
  const all = (query, box = document) => [...box.querySelectorAll(query)];
  const unique = (values) => [...new Set(values)];
  const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const esc = (text) => String(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign]);
  const count = (n) => n.toLocaleString("en");
  const fixed = (x, digits = 2) => x === null || x === undefined ? "–"
    : x.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  // a metric; Jain's index with as many digits as it takes to be on its side of what counts as fair
  const told = (x, m) => {
    let digits = m.digits;
    if (m.mbps && x > 0 && x < 1) { // two digits, as in pages/dataset/subject.py
      x = Number(x.toPrecision(2));
      digits = Math.min(6, 1 - Math.floor(Math.log10(x)));
    }
    const enough = () => m.key !== "jfi" || (Number(x.toFixed(digits)) >= D.fair) === (x >= D.fair);
    while (x !== null && x !== undefined && digits < 12 && !enough()) digits += 1;
    return fixed(x, digits);
  };
  const short = (x) => x === null || x === undefined ? "–" : typeof x === "string" ? x : String(Number(x.toPrecision(4)));
  const narrow = () => innerWidth < 640;

  // ---- the data ----------------------------------------------------------------------------------
  const D = JSON.parse(one("#now").textContent);
  async function unpacked(id) {
    const packed = Uint8Array.from(atob(one(id).textContent), (sign) => sign.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }
  const L = JSON.parse(new TextDecoder().decode(await unpacked("#late")));
  L.settingOf = [];
  L.runsOf = L.n.map((n, s) => Array.from({ length: n }, () => L.settingOf.push(s) - 1));
  let points = null, begin = 0;
  L.begin = L.heads.map((head) => { const at = begin; if (head) begin += head[0] * head[1]; return at; });
  const allPoints = () => points || (points = unpacked("#points").then((buffer) => new Uint8Array(buffer)));

  // ---- words -------------------------------------------------------------------------------------
  const [axis0, axis1] = D.axes;
  const parts = (axis) => (axis.label.match(/^(.*) \((.*)\)$/) || [0, axis.label, ""]).slice(1);
  const level = (axis, i) => [parts(axis)[0], short(axis.levels[i]), parts(axis)[1]].join(" ").trim();
  const nameOf = (s) => [D.panels[D.settings[s][0]], ...D.axes.map((a, i) => level(a, D.settings[s][i + 1]))].join(", ");
  const runName = (r) => L.ids[r] || "the only run";
  const flags = (r) => L.flags[r] || [];
  const uncontested = new Set(D.uncontested);
  const FREE = "no run lost a packet at the bottleneck, so nothing is contested";
  const metric = (key) => D.metrics.find((m) => m.key === key);
  const kindsOf = (r) => L.mixes[L.mix[r]]; // of all flows; -1: cross traffic
  const compared = (r) => kindsOf(r).filter((kind) => kind >= 0);
  const look = (kind) => kind < 0 ? "kx" : `k${kind}`;
  const twinOf = (kinds, i) => kinds.slice(0, i).filter((kind) => kind === kinds[i]).length % 4;
  const titleOf = (f) => `${D.flows.names[f].replace(/^./, (sign) => sign.toUpperCase())} (Mb/s)`;
  const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

  // ---- scales and frames -------------------------------------------------------------------------
  function ticks(low, high, n = 4) {
    const rough = (high - low) / n, power = 10 ** Math.floor(Math.log10(rough)), part = rough / power;
    const step = (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1) * power, found = [];
    for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-6; v += step) found.push(Number(v.toPrecision(10)));
    return found;
  }
  function roundUp(high) {
    const step = ticks(0, high || 1, 7)[1];
    return Math.ceil(high / step - 1e-9) * step || 1;
  }
  // a scale has y: value -> per cent from the top, its inverse, and ticks
  const linear = (low, high) => ({
    y: (v) => 100 - 100 * (v - low) / (high - low), at: (y) => low + (100 - y) / 100 * (high - low), ticks: ticks(low, high) });
  function scaleOf(values, m, isMap) {
    const known = values.filter((v) => v !== null && Number.isFinite(v));
    if (m.scale === "log") {
      const limit = 1.05 * Math.max(0.3, ...known.filter((v) => v > 0).map((v) => Math.abs(Math.log10(v))));
      const marks = [0.001, 0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100, 1000].filter((v) => Math.abs(Math.log10(v)) <= limit);
      return { y: (v) => v > 0 ? Math.max(0, 50 - 50 * Math.log10(v) / limit) : 100, at: (y) => 10 ** ((50 - y) / 50 * limit),
        ticks: marks.length > 5 ? marks.filter((v) => Math.log10(v) % 1 === 0) : marks };
    }
    let low = Math.min(...known), high = Math.max(...known);
    if (!known.length) [low, high] = [0, 1];
    if (m.zero) return linear(0, roundUp(high));
    if (m.key === "jfi") return linear(Math.min(low, 0.5), 1);
    if (m.middle === 0) [low, high] = [Math.min(0, low), Math.max(0, high)];
    if (high - low < 1e-9) [low, high] = [low - 0.5, high + 0.5];
    const edge = isMap ? 0 : 0.04 * (high - low);
    return linear(low === 0 ? 0 : low - edge, high + edge);
  }
  const text = (x, y, words, more) => `<text x="${x}" y="${y}" ${more}>${esc(words)}</text>`;
  const below = (x, words, dy) => text(`${x}%`, "100%", words, `dy="${dy}" text-anchor="middle"`);
  const beside = (y, words) => text(-6, `${y}%`, words, 'dy=".35em" text-anchor="end"');
  const line = (cls, x1, x2, y1, y2) => `<line class="${cls}" x1="${x1}%" x2="${x2}%" y1="${y1}%" y2="${y2}%"></line>`;
  const frame = (scale, marks, label) => scale.ticks.map((t) => line("rule", 0, 100, scale.y(t), scale.y(t)) + beside(scale.y(t), short(t))).join("") +
    marks.map(([x, words]) => below(x, words, 14)).join("") + below(50, label, 28);
  const stretched = (lines) => `<svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none" class="lines">${lines.join("")}</svg>`;
  const polyline = (cls, style, pairs) => `<polyline class="${cls}" ${style} points="${pairs.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ")}"></polyline>`;
  const thinned = (axis) => {
    const every = Math.ceil(axis.levels.length / (narrow() ? 4 : 8));
    return axis.levels.map((v, i) => [i, i % every ? "" : short(v)]);
  };
  const shade = (i, n) => `color-mix(in oklab,var(--late) ${n === 1 ? 100 : Math.round(100 * i / (n - 1))}%,var(--early))`;
  const panelOf = (name, inner, small = "", label = "") =>
    `<div class="panel"><h3>${name} <small>${esc(small)}</small></h3><div class="plot"><svg ${label}>${inner}</svg></div></div>`;
  const shownPanels = (n) => state.all ? n : Math.min(n, narrow() ? 8 : 24);
  const allButton = (n) => n > shownPanels(n) ? `<p><button type="button" data-all>Show all ${n} panels</button></p>` : "";

  // ---- by factor ---------------------------------------------------------------------------------
  const FLOWS = { key: "flows", label: "Throughput of each flow (Mb/s)", digits: 1, mbps: true, scale: "linear", zero: true,
    meaning: "Mean throughput of each flow over the steady state." };
  const STARVED = "no mean, because a flow carried nothing in a run";
  const state = { metric: null, view: "lines", clean: false, level: 0, off: new Set(), all: false, at: [], repeat: 0, page: 0, drawn: [] };
  const chosen = () => state.metric === "flows" ? FLOWS : metric(state.metric);
  const counted = (s) => state.clean ? L.runsOf[s].filter((r) => !flags(r).length) : L.runsOf[s];
  // a metric of a run: null where it has none; the ratio of two flows is infinite where the second flow alone starves
  const valueOf = (r, key) => L.metrics[key][r] ?? (metric(key).middle === 1 && L.x[r].length === 2 && L.x[r][0] > 0 && L.x[r][1] === 0 ? Infinity : null);
  function meanOf(s, key, flow = null) {
    const values = counted(s).map((r) => flow === null ? valueOf(r, key) : L.x[r][flow]).filter((v) => v !== null && v !== undefined);
    if (!values.length) return null;
    const cell = flow === null && !state.clean ? L.cells[key][s] : [null, null, null];
    const sum = (of) => of.reduce((a, b) => a + b, 0) / of.length;
    const logs = flow === null && metric(key).scale === "log", between = values.every((v) => v > 0 && v < Infinity);
    const own = !logs ? sum(values) : between ? Math.exp(sum(values.map(Math.log))) : null;
    return { mean: logs && !state.clean ? cell[0] : cell[0] ?? own, low: Math.min(...values), high: Math.max(...values), n: values.length, interval: cell[1] === null ? null : cell.slice(1) };
  }
  // where its mark lies: without a mean at an end of the axis, that of the flow that gets something
  const spotOf = (found) => found.mean ?? (found.high === Infinity ? Infinity : found.low);
  function said(s, found, m, flow = null) {
    const kind = flow === null ? "" : D.kinds[D.of_panel[D.settings[s][0]][flow]];
    const name = flow === null ? "" : D.flows.names[flow], who = flow === null ? "" : kind === name ? `${kind}: ` : `${name}, ${kind}: `;
    const span = found.n > 1 ? ` (${told(found.low, m)} to ${told(found.high, m)}, ${found.n} runs)` : "";
    const free = uncontested.has(s) ? `\n${FREE}` : "";
    return `${nameOf(s)}\n${who}${m.label} ${found.mean === null ? STARVED : told(found.mean, m)}${span}${free}`;
  }
  const mark = (shape, s, label, rest) => `<${shape} data-setting="${s}" tabindex="-1" role="button" aria-label="${esc(label)}" ${rest}></${shape}>`;

  function drawFactors() {
    const box = one("#factors");
    if (!box) return;
    const m = chosen(), flows = m === FLOWS, map = state.view === "map" && axis1 && !flows;
    const data = D.settings.map((place, s) => {
      if (flows) return axis1 && place[2] !== state.level ? [] : D.of_panel[place[0]].map((_, f) => meanOf(s, null, f));
      return [meanOf(s, m.key)];
    });
    const values = data.flat().filter(Boolean).flatMap((d) => map ? [d.mean] : [d.low, d.high, d.mean]);
    const scale = scaleOf(values, m, map), seen = { whiskers: false };
    const n = shownPanels(D.panels.length);
    const panels = D.panels.slice(0, n).map((name, p) => {
      const mine = D.settings.map((_, s) => s).filter((s) => D.settings[s][0] === p);
      const inner = map ? mapOf(mine, data, scale, m) : linesOf(p, mine, data, scale, m, flows, seen);
      return panelOf(esc(name), inner, map && !p ? `↑ ${axis1.label}` : "", `role="group" aria-label="${esc(name)}"`);
    });
    const grid = one(".grid", box);
    grid.innerHTML = panels.join("") + allButton(D.panels.length);
    grid.style.setProperty("--height", `${map ? Math.max(90, 20 * axis1.levels.length) : 150}px`);
    one(".legend", box).innerHTML = (map ? mapLegend(scale, m) : flows ? kindLegend(unique(D.of_panel.flat()), D.of_panel) : axis1 ? levelLegend() : "") + SAVE;
    const warned = Object.keys(L.flags).length;
    const left = state.clean ? ` ${plural(warned, "run")} with a warning ${warned === 1 ? "is" : "are"} left out.` : "";
    const free = uncontested.size ? ` Hatched (${plural(uncontested.size, "setting")}): ${FREE}.` : "";
    const shown = map ? `Means over the repeats.${free}` : seen.whiskers ? "Points: means over the repeats. Whiskers: lowest to highest run." : "One run a point.";
    const starved = data.flat().filter((d) => d && d.mean === null).length;
    const none = starved ? ` ${plural(starved, "setting")}: ${STARVED}.` : "";
    one("figcaption", box).textContent = `${m.meaning} ${shown}${none}${left} A mark opens its runs: click it, or Tab into a panel, walk with the arrow keys and press Enter.`;
    for (const plot of all("svg[role=group]", box)) one("[data-setting]", plot)?.setAttribute("tabindex", "0");
  }
  function mapOf(mine, data, scale, m) {
    const w = 100 / axis0.levels.length, h = 100 / axis1.levels.length, rows = axis1.levels.length;
    const cells = mine.filter((s) => data[s][0]).map((s) => {
      const [, i, j] = D.settings[s], found = data[s][0], part = Math.min(100, Math.max(0, 100 - scale.y(spotOf(found))));
      return mark("rect", s, said(s, found, m), `class="cell" x="${i * w}%" y="${(rows - 1 - j) * h}%" width="${w}%" height="${h}%"
        fill="color-mix(in oklab,var(--high) ${Math.round(part)}%,var(--low))"`);
    });
    // lines, not a pattern: Chromium prints a pattern as some 80 MB of PDF
    const lines = Math.max(1, Math.round(36 / axis0.levels.length)), step = w / lines;
    const hatched = mine.filter((s) => data[s][0] && uncontested.has(s)).flatMap((s) => {
      const left = D.settings[s][1] * w, top = (rows - 1 - D.settings[s][2]) * h;
      return Array.from({ length: lines }, (_, k) =>
        `<line class="hatched" x1="${left + k * step}%" y1="${top + h}%" x2="${left + (k + 1) * step}%" y2="${top}%" stroke="#fff" stroke-width="1.5"></line>`);
    });
    return cells.join("") + hatched.join("") + axis1.levels.map((v, j) => beside((rows - 0.5 - j) * h, short(v))).join("") +
      thinned(axis0).map(([i, words]) => below((i + 0.5) * w, words, 14)).join("") + below(50, axis0.label, 28);
  }
  function linesOf(p, mine, data, scale, m, flows, seen) {
    const n = axis0.levels.length, place = (i) => n === 1 ? 50 : 3 + 94 * i / (n - 1);
    const series = new Map();
    for (const s of mine) data[s].forEach((found, f) => {
      const key = flows ? f : axis1 ? D.settings[s][2] : 0;
      if (found) series.set(key, [...(series.get(key) || []), [s, found]]);
    });
    const lines = [], marks = [];
    [...series].forEach(([key, found], nth) => {
      const kinds = D.of_panel[p], twin = flows ? twinOf(kinds, key) : 0;
      const style = flows ? "" : `style="--k:${axis1 ? shade(key, axis1.levels.length) : "var(--mark)"}"`;
      const cls = `${flows ? look(kinds[key]) : ""} d${twin}${state.off.has(flows ? kinds[key] : key) ? " dim" : ""}`;
      const aside = (nth - (series.size - 1) / 2) * Math.min(1.2, 30 / n / series.size);
      const spots = found.map(([s, d]) => [s, d, place(D.settings[s][1]) + aside]).sort((a, b) => a[2] - b[2]);
      lines.push(polyline(cls, style, spots.map(([, d, x]) => [x, scale.y(spotOf(d))])));
      for (const [s, d, x] of spots) {
        if (d.n > 1 && d.high > d.low) {
          seen.whiskers = true;
          marks.push(line(`whisker ${cls}" ${style} data-x="`, x, x, scale.y(d.low).toFixed(2), scale.y(d.high).toFixed(2)));
        }
        marks.push(mark("circle", s, said(s, d, m, flows ? key : null),
          `class="point ${cls}" ${style} cx="${x.toFixed(2)}%" cy="${scale.y(spotOf(d)).toFixed(2)}%" r="${n > 10 ? 2.6 : 3.6}"`));
      }
    });
    return frame(scale, thinned(axis0).map(([i, words]) => [place(i), words]), axis0.label) + stretched(lines) + marks.join("");
  }

  // ---- legends -----------------------------------------------------------------------------------
  const SAVE = `<details class="save"><summary>Save</summary><div>${["SVG", "PNG", "CSV"].map((kind) =>
    `<button type="button" data-save="${kind.toLowerCase()}">${kind}</button>`).join("")}</div></details>`;
  const sample = (cls, style = "") => `<svg class="key" aria-hidden="true"><line class="${cls}" ${style} x1="0" x2="26" y1="6" y2="6"></line></svg>`;
  const mapLegend = (scale, m) => `<span>${esc(m.label)}</span> <span>${short(Number(scale.at(100).toPrecision(3)))}</span><span class="gradient"></span><span>${short(Number(scale.at(0).toPrecision(3)))}</span>`;
  const pressed = (key) => `data-key="${key}" aria-pressed="${state.off.has(key)}" title="Fade or show"`;
  const levelLegend = () => `<span>${esc(axis1.label)}</span>` + axis1.levels.map((v, i) =>
    `<button type="button" ${pressed(i)}>${sample("d0", `style="--k:${shade(i, axis1.levels.length)}"`)}${esc(short(v))}</button>`).join("");
  function kindLegend(kinds, mixes, fade = true) {
    const most = Math.min(4, Math.max(1, ...mixes.map((mix) => Math.max(0, ...unique(mix).map((k) => mix.filter((x) => x === k).length)))));
    const words = ["first", "second", "third", "fourth"].slice(0, most);
    const names = kinds.map((k) => [k, k < 0 ? "cross traffic" : D.kinds[k]]);
    return names.map(([k, name]) => fade ? `<button type="button" ${pressed(k)} class="${look(k)}">${sample("d0")}${esc(name)}</button>`
      : `<span class="${look(k)}">${sample("d0")}${esc(name)}</span>`).join("") +
      (most > 1 ? `<span>of one kind:</span>${words.map((word, i) => `<span class="twin">${sample(`d${i}`)}${word}</span>`).join("")}` : "");
  }

  // ---- over time ---------------------------------------------------------------------------------
  const FEW = 24; // runs that are all drawn
  function timePanel(r, bytes, title, { top, end, small = "", many = false }) {
    const head = L.heads[r], link = `<a href="#run=${encodeURIComponent(L.ids[r])}">${esc(title)}</a>`;
    if (!head) return `<div class="panel"><h3>${link}</h3><p class="note">No sample of any flow.</p></div>`;
    const [flows, n, step, highest] = head, kinds = kindsOf(r), scale = linear(0, roundUp(top)), lines = [];
    scale.ticks = ticks(0, roundUp(top), 3);
    for (let f = 0; f < flows; f += 1) {
      let part = [];
      const flush = () => { if (part.length) lines.push(polyline(`${look(kinds[f])} d${twinOf(kinds, f)}`, "", part)); part = []; };
      for (let i = 0; i < n; i += 1) {
        const byte = bytes[L.begin[r] + f * n + i];
        if (byte === 255) { flush(); continue; }
        const y = scale.y(byte / 254 * highest), x = (at) => 100 * at * step / end;
        if (n < 3) part.push([x(i), y], [x(i + 1), y]); else part.push([x(i + 0.5), y]); // a total is a level
      }
      flush();
    }
    const [from, to] = L.window[r], x0 = 100 * (from || 0) / end, x1 = Math.min(100, 100 * (to ?? n * step) / end);
    const marks = ticks(0, end, narrow() && many ? 2 : 4).map((t) => [100 * t / end, short(t)]);
    const shaded = `<rect class="steady" x="${x0}%" width="${Math.max(0, x1 - x0)}%" height="100%"></rect>`;
    return panelOf(link, shaded + frame(scale, marks, "s") + stretched(lines), small, `role="img" aria-label="Throughput over time, ${esc(title)}"`);
  }
  const inBrief = (r) => [compared(r).length > 1 && L.metrics.jfi && L.metrics.jfi[r] !== null ? `Jain ${told(L.metrics.jfi[r], { key: "jfi", digits: 2 })}` : "",
    flags(r).length ? "warning" : ""].filter(Boolean).join(" · ");
  const topOf = (runs) => Math.max(0.001, ...runs.map((r) => L.heads[r] ? L.heads[r][3] : 0));
  const endOf = (runs) => Math.max(0.001, ...runs.map((r) => L.heads[r] ? L.heads[r][1] * L.heads[r][2] : 0));
  function timeChoice() {
    const every = L.ids.map((_, r) => r);
    if (every.length <= FEW) return [every, every.length > 1 ? "Every run. " : "", ""];
    if (!D.axes.length) {
      const runs = every.slice(state.page * FEW, (state.page + 1) * FEW);
      return [runs, `Runs ${state.page * FEW + 1} to ${state.page * FEW + runs.length} of ${count(every.length)}. `,
        '<button type="button" data-step="-1">‹ Before</button><button type="button" data-step="1">Next ›</button>'];
    }
    const runs = D.panels.map((_, p) => {
      const s = D.settings.findIndex((place) => place[0] === p && D.axes.every((_, i) => place[i + 1] === state.at[i]));
      return s < 0 ? null : L.runsOf[s][Math.min(state.repeat, L.runsOf[s].length - 1)];
    }).filter((r) => r !== null);
    const option = (i, at, words) => `<option value="${i}"${i === at ? " selected" : ""}>${esc(words)}</option>`;
    let choice = D.axes.map((axis, a) => `<label>${esc(axis.label)} <select data-axis="${a}">${axis.levels.map((v, i) => option(i, state.at[a], short(v))).join("")}</select></label>`).join("");
    const repeats = Math.max(...L.n);
    if (repeats > 1) choice += `<label>Repeat <select data-repeat>${Array.from({ length: repeats }, (_, i) => option(i, state.repeat, i + 1)).join("")}</select></label>`;
    return [runs, "One run of each kind at the chosen setting. ", choice];
  }
  async function drawTime() {
    const box = one("#time");
    if (!box) return;
    const bytes = await allPoints(), [found, caption, choice] = timeChoice();
    const runs = found.slice(0, shownPanels(found.length)), few = L.ids.length <= FEW, grid = one(".grid", box);
    const [width, height] = runs.length === 1 ? ["100%", 230] : runs.length <= 4 ? ["420px", 180] : ["260px", 120];
    const titleOf = (r) => few ? nameOf(L.settingOf[r]) + (L.n[L.settingOf[r]] > 1 ? `, repeat ${L.repeat[r]}` : "")
      : D.axes.length ? D.panels[D.settings[L.settingOf[r]][0]] : runName(r);
    const given = { top: topOf(runs), end: endOf(runs), many: runs.length > 4 };
    grid.style.setProperty("--width", width);
    grid.style.setProperty("--height", `${height}px`);
    grid.innerHTML = runs.map((r) => timePanel(r, bytes, titleOf(r), { ...given, small: inBrief(r) })).join("") + allButton(found.length);
    if (!runs.length) grid.innerHTML = '<p class="note">No run at this setting.</p>';
    one(".legend", box).innerHTML = kindLegend(unique(runs.flatMap(kindsOf)), runs.map(kindsOf), false) + SAVE;
    one(".controls", box).innerHTML = choice;
    one("figcaption", box).textContent = `${caption}Throughput in Mb/s. Shaded: the steady state.`;
    state.drawn = runs;
  }

  // ---- one setting, with its runs ----------------------------------------------------------------
  const dialog = one("#setting");
  const quoted = (path) => `'${path.replaceAll("'", "'\\''")}'`;
  function filesOf(r) {
    return L.files[r].map(([path, lines]) => {
      const full = `${D.raw}/${D.name}/${path.startsWith("~") ? L.ids[r] + path.slice(1) : path}`;
      const cat = full.endsWith(".gz") ? "zcat" : full.endsWith(".xz") ? "xzcat" : full.endsWith(".zst") ? "zstdcat" : full.endsWith(".bz2") ? "bzcat" : "cat";
      return `<div class="paste"><pre tabindex="0"><code>${esc(`${cat} ${quoted(full)} | sed -n '1,${lines}p'`)}</code></pre><button type="button" class="copy">Copy</button></div>`;
    }).join("");
  }
  const settingRows = (s) => `From the rows of <a href="tables/cell.parquet">tables/cell.parquet</a> with <code>scenario_id</code> ${L.scenarios[s] ? `<code>${esc(L.scenarios[s])}</code>` : "''"}; its runs are rows of <a href="tables/run_metric.parquet">tables/run_metric.parquet</a>.`;
  async function openSetting(s, run = null) {
    const bytes = await allPoints(), runs = L.runsOf[s], n = D.settings.length;
    const values = D.metrics.map((m) => [m, L.cells[m.key][s]]).map(([m, [mean, low, high]]) => mean === null
      ? runs.some((r) => valueOf(r, m.key) !== null) ? `<span>${esc(m.label)}: ${STARVED}</span>` : "" : `<span>${esc(m.label)} <b>${told(mean, m)}</b>${low === null ? "" : ` (${Number((100 * D.confidence).toPrecision(6))} %: ${told(low, m)} to ${told(high, m)})`}</span>`);
    const given = { top: topOf(runs), end: endOf(runs), many: runs.length > 4 };
    const panels = runs.map((r) => timePanel(r, bytes, runs.length > 1 ? `repeat ${L.repeat[r]}` : runName(r),
      { ...given, small: [`${L.x[r].map((x) => told(x, MBPS)).join(" + ")} Mb/s`, inBrief(r)].filter(Boolean).join(" · ") }));
    const folds = runs.map((r) => `<details${r === run || runs.length === 1 ? " open" : ""}><summary>${esc(runName(r))}${flags(r).length ? ` <b class="warning">${esc(flags(r).join(", "))}</b>` : ""}</summary>${filesOf(r)}</details>`);
    const go = (at, words) => `<button type="button" data-go="${at}">${words}</button>`;
    const around = n > 1 ? `<p class="around">${go((s + n - 1) % n, `‹ ${esc(nameOf((s + n - 1) % n))}`)} ${go((s + 1) % n, `${esc(nameOf((s + 1) % n))} ›`)}</p>` : "";
    dialog.innerHTML = `<form method="dialog"><button class="close" aria-label="Close">×</button></form><h2 id="setting-title">${esc(nameOf(s))}</h2>
      <div class="values">${values.join("")}</div><p class="note">${settingRows(s)}</p><div class="legend">${kindLegend(unique(runs.flatMap(kindsOf)), runs.map(kindsOf), false)}</div>
      <div class="grid" style="--width:${runs.length === 1 ? "100%" : "260px"};--height:${runs.length === 1 ? 220 : 130}px">${panels.join("")}</div>${folds.join("")}${around}`;
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  }

  // ---- what a number of the answer was computed from ----------------------------------------------
  const mean = (values) => values.length ? values.reduce((a, b) => a + b, 0) / values.length : null;
  const known = (values) => values.filter((v) => v !== null && v !== undefined);
  const JFI = { key: "jfi", label: "Jain's index", digits: 4 }, MBPS = { digits: 1, mbps: true, label: "Throughput of all flows (Mb/s)" };
  const [FIRST_NAME = ""] = D.flows.names, FIRST_FLOW = /^flow /.test(FIRST_NAME) ? FIRST_NAME : `the ${FIRST_NAME}`;
  // of each: what a run has of it, what that is, the table and the columns that it is from
  const NUMBERS = {
    jfi: [(r) => L.metrics.jfi[r], "Jain's index", JFI, "run_metric", "jfi"],
    fair: [(r) => L.metrics.jfi[r], "Jain's index", JFI, "run_metric", "jfi"],
    total: [(r) => measured(r) && L.x[r].reduce((a, b) => a + b, 0), "throughput of all flows, Mb/s", MBPS, "flow_metric", "mean_throughput_bps"],
    share: [(r) => carried(r) && 100 * L.x[r][0] / L.x[r].reduce((a, b) => a + b, 0), `share of ${FIRST_FLOW}, %`, { digits: 1, label: `Share of ${FIRST_FLOW} (%)` }, "flow_metric", "mean_throughput_bps"],
    runs: [() => null, "runs", null, "run", "run_id"],
    check: [() => null, "runs", null, "finding", "check"],
  };
  const measured = (r) => L.x[r].length && L.x[r].every((x) => x !== null) || null;
  const carried = (r) => measured(r) && L.x[r].some((x) => x > 0) || null; // else it has no shares
  const spread = (ranges) => ranges.flatMap((from, i) => i % 2 ? [] : Array.from({ length: ranges[i + 1] - from + 1 }, (_, n) => from + n));
  function openNumber(link) {
    const { of = "check", rows, check } = link.dataset, [value, words, m, table, column] = NUMBERS[of];
    const settings = check ? [L.ids.map((_, r) => r).filter((r) => flags(r).includes(check))] : rows.split(" ").flatMap((n) => {
      const [ranges, kinds] = D.answer[n], mine = kinds.join();
      return spread(ranges).map((s) => L.runsOf[s].filter((r) => compared(r).join() === mine)).filter((runs) => runs.length);
    });
    const means = known(settings.map((runs) => mean(known(runs.map(value))))), runs = settings.flat();
    const what = !m ? `${plural(runs.length, "run")}${check ? `: ${check}` : ""}` : of === "fair"
      ? `${count(means.filter((v) => v >= D.fair).length)} of ${plural(means.length, "setting")} with ${words} of ${D.fair} or more, the mean of its runs`
      : `${words}: ${told(mean(means), m)}, the mean over ${plural(means.length, "setting")}, each the mean of its runs`;
    const at = `tables/${table}.parquet`;
    dialog.innerHTML = `<form method="dialog"><button class="close" aria-label="Close">×</button></form><h2 id="setting-title">${esc(link.textContent)}</h2>
      <p class="note">${esc(`${what[0].toUpperCase()}${what.slice(1)}`)}. ${count(runs.length)} of ${plural(L.ids.length, "run")} of <a href="${at}">${at}</a>, column <code>${column}</code>; a run opens its flows over time and the lines of its logs.</p>
      <section id="of-number"><h2 class="unseen">Runs of this number</h2><div class="rows"></div></section>`;
    const most = Math.max(0, ...runs.map((r) => L.x[r].length)), flows = most <= 4 ? Array.from({ length: most }, (_, f) => f) : [];
    const columns = [{ title: "Run" }, { title: "Setting" }, ...m ? [{ title: m.label, digits: m.digits, mbps: m.mbps }] : [], ...flows.map((f) => ({ title: titleOf(f), digits: 1, mbps: true }))];
    drawTable(one("#of-number"), columns, runs.map((r) => {
      const cells = [runName(r), nameOf(L.settingOf[r]), ...m ? [value(r)] : [], ...flows.map((f) => L.x[r][f])];
      return { cells, text: `${L.ids[r]} ${cells[1]}`.toLowerCase(), address: `#run=${encodeURIComponent(L.ids[r])}` };
    }));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  }

  const ADDRESS = /^#(run|scenario)[=-]/;
  function openAddress() {
    if (!ADDRESS.test(location.hash)) return;
    const address = decodeURIComponent(location.hash.slice(1));
    if (address.startsWith("run=")) {
      const r = L.ids.indexOf(address.slice(4));
      if (r >= 0) openSetting(L.settingOf[r], r);
    } else { // as the links of papers name a setting: a sign that is no letter or digit as its code
      const id = address.slice(9).replace(/-([0-9a-f]+)-/g, (_, code) => String.fromCodePoint(parseInt(code, 16)));
      const s = L.scenarios.indexOf(id);
      if (s >= 0) openSetting(s);
    }
  }
  addEventListener("hashchange", openAddress);
  dialog.addEventListener("close", () => { if (ADDRESS.test(location.hash)) history.replaceState(null, "", location.pathname + location.search); });

  // ---- marks: keyboard and tip -------------------------------------------------------------------
  const tip = one("#tip"), MARK = ".plot [data-setting]";
  const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const middle = (mark) => { const box = mark.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  function walk(from, [dx, dy]) { // to the nearest mark in a direction
    const [x, y] = middle(from);
    let best = null, least = Infinity;
    for (const to of all("[data-setting]", from.closest("svg[role=group]"))) {
      const [a, b] = middle(to), along = (a - x) * dx + (b - y) * dy, across = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
      const far = along + 3 * across;
      if (along > 0.5 && along * 3 > across && far < least) [best, least] = [to, far];
    }
    if (!best) return;
    from.setAttribute("tabindex", "-1");
    best.setAttribute("tabindex", "0");
    best.focus();
  }
  document.addEventListener("keydown", (event) => {
    const from = event.target.closest?.(MARK);
    if (!from) return;
    if (event.key === "Enter" || event.key === " ") openSetting(Number(from.dataset.setting));
    else if (ARROWS[event.key]) walk(from, ARROWS[event.key]);
    else return;
    event.preventDefault();
  });
  function hideTip() {
    tip.hidden = true;
    all(".ring").forEach((ring) => ring.remove());
  }
  function showTip(on) {
    hideTip();
    const shape = on.cloneNode();
    for (const name of ["data-setting", "tabindex", "role", "aria-label", "fill", "style"]) shape.removeAttribute(name);
    if (shape.hasAttribute("r")) shape.setAttribute("r", 6);
    for (const cls of ["ring outer", "ring"]) {
      const ring = shape.cloneNode();
      ring.setAttribute("class", cls);
      on.closest("svg[role=group]").append(ring);
    }
    tip.textContent = on.getAttribute("aria-label");
    tip.hidden = false;
    const at = on.getBoundingClientRect(), own = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(innerWidth - own.width - 4, at.x + at.width / 2 - own.width / 2))}px`;
    tip.style.top = `${at.y - own.height - 8 < 0 ? at.bottom + 8 : at.y - own.height - 8}px`;
  }
  for (const [on, off] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
    document.addEventListener(on, (event) => { const found = event.target.closest?.(MARK); if (found) showTip(found); });
    document.addEventListener(off, hideTip);
  }
  addEventListener("scroll", hideTip, { passive: true });

  // ---- a figure to take away ---------------------------------------------------------------------
  const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "vector-effect", "font-size", "text-anchor"];
  function painted(from, to) { // colours and sizes written out, names of classes away
    const style = getComputedStyle(from);
    for (const name of PAINT) to.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "role", "aria-label", "data-setting", "data-x"]) to.removeAttribute(name);
    [...from.children].forEach((child, i) => painted(child, to.children[i]));
  }
  function textsOf(element, box, found = []) {
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE && node.data.trim()) {
        const range = document.createRange(), style = getComputedStyle(element);
        range.selectNode(node);
        const at = range.getBoundingClientRect();
        found.push(`<text x="${at.x - box.x}" y="${at.bottom - box.y - at.height * 0.24}" font-size="${style.fontSize}" font-weight="${style.fontWeight}" fill="${style.color}">${esc(node.data.trim())}</text>`);
      } else if (node.nodeType === Node.ELEMENT_NODE && node.namespaceURI.endsWith("html") && !node.closest(".save")) textsOf(node, box, found);
    }
    return found;
  }
  function asSvg(figure) {
    root.classList.add("light"); // what is taken away is for paper
    const box = figure.getBoundingClientRect(), found = [];
    for (const svg of all("svg", figure).filter((each) => !each.parentNode.closest("svg"))) {
      const at = svg.getBoundingClientRect(), copy = svg.cloneNode(true);
      painted(svg, copy);
      for (const [name, value] of [["x", at.x - box.x], ["y", at.y - box.y], ["width", at.width], ["height", at.height], ["overflow", "visible"]]) copy.setAttribute(name, value);
      found.push(new XMLSerializer().serializeToString(copy));
    }
    for (const words of [one(".legend", figure), ...all("h3", figure)]) found.push(...textsOf(words, box));
    root.classList.remove("light");
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${box.width}" height="${box.height}" font-family="Liberation Sans, Arial, Helvetica, sans-serif"><rect width="100%" height="100%" fill="#fff"/>${found.join("")}</svg>`;
  }
  const cell = (value) => /[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value ?? "";
  const csv = (rows) => `${rows.map((row) => row.map(cell).join(",")).join("\n")}\n`;
  async function timeCsv() {
    const bytes = await allPoints(), rows = [["run", "t_s", "flow", "mbps"]];
    for (const r of state.drawn.filter((r) => L.heads[r])) {
      const [flows, n, step, highest] = L.heads[r];
      for (let f = 0; f < flows; f += 1) for (let i = 0; i < n; i += 1) {
        const byte = bytes[L.begin[r] + f * n + i];
        if (byte < 255) rows.push([L.ids[r], Number((i * step).toFixed(3)), L.numbers[L.numbered[r]][f], (byte / 254 * highest).toPrecision(4)]);
      }
    }
    return csv(rows);
  }
  function factorCsv() {
    const flows = state.metric === "flows";
    const rows = [["panel", ...D.axes.map((a) => a.label), ...(flows ? ["flow"] : []), flows ? "mbps" : state.metric, "lowest", "highest", "runs"]];
    D.settings.forEach(([p, ...at], s) => (flows ? D.of_panel[p].map((_, f) => [f, meanOf(s, null, f)]) : [[null, meanOf(s, state.metric)]])
      .forEach(([f, d]) => d && rows.push([D.panels[p], ...D.axes.map((a, i) => a.levels[at[i]]), ...(flows ? [D.flows.numbers[f] ?? D.flows.names[f]] : []), d.mean ?? "", d.low, d.high, d.n])));
    return csv(rows);
  }
  async function save(figure, kind) {
    const time = Boolean(figure.closest("#time")), name = `${D.name}-${time ? "over-time" : state.metric}.${kind}`;
    const give = (data, type) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([data], { type }));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 9000);
    };
    if (kind === "csv") return give(time ? await timeCsv() : factorCsv(), "text/csv");
    const svg = asSvg(figure);
    if (kind === "svg") return give(svg, "image/svg+xml");
    const image = new Image(), canvas = document.createElement("canvas");
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toBlob((data) => give(data, "image/png"));
  }

  // ---- tables of settings and runs ---------------------------------------------------------------
  const FIRST = narrow() ? 10 : 20, MORE = 200; // rows
  function drawTable(section, columns, rows) {
    const box = one(".rows", section), name = one("h2", section).textContent, view = { words: [], sort: null, way: 1, n: FIRST };
    const head = columns.map((c, i) => `<th class="${c.digits === undefined ? "" : "r"}" scope="col"><button type="button" data-column="${i}">${esc(c.title)}</button></th>`);
    box.innerHTML = `<div class="bar"><input type="search" placeholder="Filter, such as: cubic 100" aria-label="Filter ${name.toLowerCase()}"><span role="status"></span></div>
      <div class="scroll" tabindex="0" role="region" aria-label="Table of ${name.toLowerCase()}"><table class="data"><thead><tr>${head.join("")}</tr></thead><tbody></tbody></table></div>
      <p><button type="button" class="further"></button></p>`;
    const further = one(".further", box);
    const shown = (value, c) => c.digits === undefined ? esc(value ?? "–") : told(value, c);
    function draw() {
      let found = rows.filter((row) => view.words.every((word) => word.test(row.text)));
      if (view.sort !== null) {
        const at = view.sort, missing = (v) => v === null || v === undefined;
        found.sort((a, b) => missing(a.cells[at]) - missing(b.cells[at]) || view.way * (a.cells[at] < b.cells[at] ? -1 : a.cells[at] > b.cells[at] ? 1 : 0));
      }
      one("[role=status]", box).textContent = found.length === rows.length ? plural(rows.length, "row") : `${count(found.length)} of ${plural(rows.length, "row")}`;
      further.hidden = found.length <= view.n;
      further.textContent = `Show ${count(Math.min(MORE, found.length - view.n))} more of ${count(found.length - view.n)}`;
      one("tbody", box).innerHTML = found.slice(0, view.n).map((row) => `<tr>${row.cells.map((value, i) => i
        ? `<td class="${columns[i].digits === undefined ? "" : "r"}">${shown(value, columns[i])}</td>`
        : `<th scope="row"><a href="${esc(row.address)}">${esc(value)}</a></th>`).join("")}</tr>`).join("");
      all("thead th", box).forEach((th, i) => i === view.sort ? th.setAttribute("aria-sort", view.way > 0 ? "ascending" : "descending") : th.removeAttribute("aria-sort"));
    }
    one("input", box).addEventListener("input", (event) => { // at the beginning of words: 'bic' is not CUBIC
      const words = event.target.value.toLowerCase().split(/[\s,–]+/).filter(Boolean);
      view.words = words.map((word) => new RegExp(`(^|[^\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`, "u"));
      view.n = FIRST;
      draw();
    });
    box.addEventListener("click", (event) => {
      const column = event.target.closest("[data-column]");
      if (column) {
        const at = Number(column.dataset.column);
        view.way = view.sort === at ? -view.way : 1;
        view.sort = at;
      } else if (event.target.closest(".further")) view.n += MORE;
      else return;
      draw();
    });
    draw();
  }
  function drawTables() {
    const n = unique(L.x.map((x) => x.length)), flows = n.length === 1 && n[0] <= 4 ? n[0] : 0;
    const ofFlows = Array.from({ length: flows }, (_, f) => ({ title: titleOf(f), digits: 1, mbps: true }));
    const ofMetrics = D.metrics.map((m) => ({ title: m.label, digits: m.digits, key: m.key }));
    const mean = (runs, f) => {
      const known = runs.map((r) => L.x[r][f]).filter((x) => x !== null);
      return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
    };
    const coded = (id) => encodeURIComponent(id.replace(/[^A-Za-z0-9]/gu, (sign) => `-${sign.codePointAt(0).toString(16)}-`));
    drawTable(one("#settings"), [{ title: "Setting" }, { title: "Runs", digits: 0 }, ...ofFlows, ...ofMetrics], D.settings.map((_, s) => {
      const cells = [nameOf(s), L.n[s], ...ofFlows.map((_, f) => mean(L.runsOf[s], f)), ...D.metrics.map((m) => L.cells[m.key][s][0])];
      return { cells, text: `${cells[0]} ${L.scenarios[s]}`.toLowerCase(), address: `#scenario-${coded(L.scenarios[s])}` };
    }));
    const warned = Object.keys(L.flags).length ? [{ title: "Warnings" }] : [];
    drawTable(one("#runs"), [{ title: "Run" }, { title: "Repeat", digits: 0 }, ...ofFlows, ...ofMetrics, ...warned], L.ids.map((id, r) => {
      const cells = [runName(r), L.repeat[r], ...ofFlows.map((_, f) => L.x[r][f]), ...D.metrics.map((m) => L.metrics[m.key][r]), ...warned.map(() => flags(r).join("; ") || null)];
      return { cells, text: `${id} ${nameOf(L.settingOf[r])} ${flags(r).join(" ")}`.toLowerCase(), address: `#run=${encodeURIComponent(id)}` };
    }));
  }

  // ---- dataset.yml with what is ticked -----------------------------------------------------------
  const O = JSON.parse(one("#offers").textContent);
  const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  function merged(old, ticked) { // what is ticked wins; of lists it comes first, as the first pattern counts
    if (isMap(old) && isMap(ticked)) {
      const found = { ...old };
      for (const [key, value] of Object.entries(ticked)) found[key] = key in old ? merged(old[key], value) : value;
      return found;
    }
    if (Array.isArray(old) && Array.isArray(ticked)) {
      const there = new Set(ticked.map((item) => JSON.stringify(item)));
      return [...ticked, ...old.filter((item) => !there.has(JSON.stringify(item)))];
    }
    return ticked;
  }
  const scalar = (value) => JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const keyed = (key) => /^(\d+|[a-z][a-z_]*)$/.test(key) && !/^(y|n|yes|no|on|off|true|false|null)$/.test(key) ? key : scalar(key);
  function inline(value) {
    if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
    if (isMap(value)) return `{${Object.entries(value).map(([key, item]) => `${keyed(key)}: ${inline(item)}`).join(", ")}}`;
    return typeof value === "number" ? String(value).replace(/^(-?\d+)e/, "$1.0e") : scalar(value);
  }
  const keyLines = (key, value) => Array.isArray(value) && value.length ? `${keyed(key)}:\n${value.map((item) => `  - ${inline(item)}`).join("\n")}` : `${keyed(key)}: ${inline(value)}`;
  function mergedFile(ticked) {
    const wanted = ticked.reduce((found, value) => merged(found, value), {});
    const lines = O.file.map(([key, value, own]) => key === null || !(key in wanted) ? own || keyLines(key, value) : keyLines(key, merged(value, wanted[key])));
    const there = new Set(O.file.map(([key]) => key));
    return [...lines, ...Object.keys(wanted).filter((key) => !there.has(key)).map((key) => keyLines(key, wanted[key]))].join("\n").trim();
  }
  function showMerged() {
    const ticked = unique(all("[data-remedy]:checked").map((box) => Number(box.dataset.remedy))).sort((a, b) => a - b);
    one("#merged code").textContent = mergedFile(ticked.map((i) => O.offers[i])) || "# tick something on this page";
  }
  document.addEventListener("change", (event) => {
    const remedy = event.target.dataset.remedy;
    if (remedy === undefined) return;
    for (const box of all(`[data-remedy="${remedy}"]`)) box.checked = event.target.checked;
    showMerged();
  });

  // ---- what a reader chooses ---------------------------------------------------------------------
  function drawControls() {
    const box = one("#factors .controls");
    if (!box) return;
    const warned = Object.keys(L.flags).length, flows = state.metric === "flows";
    const option = (value, words, at) => `<option value="${value}"${value === at ? " selected" : ""}>${esc(words)}</option>`;
    box.innerHTML = `<label>Show <select data-metric>${[FLOWS, ...D.metrics].map((m) => option(m.key, m.label, state.metric)).join("")}</select></label>` +
      (axis1 && !flows ? `<span class="views" role="group" aria-label="View">${["lines", "map"].map((view) => `<button type="button" data-view="${view}" aria-pressed="${state.view === view}">${view === "map" ? "Map" : "Lines"}</button>`).join("")}</span>` : "") +
      (axis1 && flows ? `<label>${esc(axis1.label)} <select data-level>${axis1.levels.map((v, i) => option(i, short(v), state.level)).join("")}</select></label>` : "") +
      (warned && warned < L.ids.length ? `<label><input type="checkbox" data-clean${state.clean ? " checked" : ""}> leave out ${plural(warned, "run")} with a warning</label>` : "");
  }
  function redraw() {
    drawControls();
    drawFactors();
  }
  document.addEventListener("change", ({ target }) => {
    const { axis, repeat, metric: key, level: at, clean } = target.dataset;
    if (axis !== undefined) state.at[Number(axis)] = Number(target.value);
    else if (repeat !== undefined) state.repeat = Number(target.value);
    else if (key !== undefined) { state.metric = target.value; state.off.clear(); }
    else if (at !== undefined) state.level = Number(target.value);
    else if (clean !== undefined) state.clean = target.checked;
    else return;
    if (axis !== undefined || repeat !== undefined) drawTime().then(() => one(`#time [data-${axis === undefined ? "repeat" : `axis="${axis}"`}]`)?.focus());
    else {
      redraw();
      one(`#factors [data-${key !== undefined ? "metric" : at !== undefined ? "level" : "clean"}]`)?.focus();
    }
  });
  async function copy(button) {
    const code = one("code", button.parentNode).textContent;
    try {
      await navigator.clipboard.writeText(code);
    } catch { // a page of a file has no clipboard in some browsers
      const area = document.createElement("textarea");
      area.value = code;
      (one("dialog[open]") || document.body).append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }
  document.addEventListener("click", (event) => {
    const on = (query) => event.target.closest(query);
    let found;
    if ((found = on("[data-view]"))) { state.view = found.dataset.view; redraw(); one(`[data-view=${state.view}]`).focus(); }
    else if ((found = on("#factors [data-key]"))) {
      const key = Number(found.dataset.key);
      if (!state.off.delete(key)) state.off.add(key);
      drawFactors();
      one(`#factors [data-key="${key}"]`)?.focus();
    } else if ((found = on("a.evidence"))) { event.preventDefault(); openNumber(found);
    } else if ((found = on(MARK))) { found.focus(); openSetting(Number(found.dataset.setting)); }
    else if (on("[data-all]")) { state.all = true; drawFactors(); drawTime(); }
    else if ((found = on("[data-go]"))) openSetting(Number(found.dataset.go));
    else if ((found = on("[data-step]"))) {
      state.page = Math.max(0, Math.min(Math.ceil(L.ids.length / FEW) - 1, state.page + Number(found.dataset.step)));
      drawTime();
    } else if ((found = on("[data-save]"))) { found.closest("details").open = false; save(found.closest("figure"), found.dataset.save); }
    else if ((found = on(".copy"))) copy(found);
    else if (on(".menu a")) one(".menu").open = false;
  });

  // ---- start -------------------------------------------------------------------------------------
  if (axis0) {
    const two = Boolean(axis1), few = D.of_panel.every((kinds) => kinds.length && kinds.length <= 4);
    state.metric = (!two && few) || !metric("jfi") ? "flows" : "jfi";
    state.view = two && axis0.levels.length * axis1.levels.length > 60 ? "map" : "lines";
    state.at = D.axes.map((axis) => Math.floor((axis.levels.length - 1) / 2));
    state.level = state.at[1] || 0;
  }
  redraw();
  drawTables();
  showMerged();
  await drawTime();
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting)
      for (const link of all(".side a")) {
        if (link.hash === `#${target.id}`) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
  }, { rootMargin: "-10% 0px -75% 0px" });
  for (const section of all("main section[id]")) seen.observe(section);
  root.dataset.ready = "yes";
  performance.mark("ready");
  openAddress();
})();
