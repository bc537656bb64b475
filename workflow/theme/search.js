/* Search over all pages of the site: sections by their words, runs by their ids; all of it is in this
   page. Words as they are written come first; if no section has them all, words like them; if none has
   these, sections with some of the words. The page says which. */
"use strict";
(async () => {
  const place = document.getElementById("search");
  const say = (text) => (document.getElementById("search-count").textContent = text);
  if (!window.DecompressionStream) return say("This browser is too old for the search. The first page lists all pages.");
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  // what readers look for, and the words that the pages have for it
  const SAME = {
    bufferbloat: ["buffer", "queue"], hstcp: ["highspeed"], stcp: ["scalable"], ctcp: ["compound"],
    reno: ["newreno"], rwnd: ["window"], cwnd: ["window"], sndbuf: ["socket", "window"], opb: ["buffer"],
    latecomer: ["second"], cite: ["bibtex", "citation"], citation: ["bibtex", "cite"], latex: ["bibtex"],
    jfi: ["jain"], taildrop: ["droptail"], png: ["svg"], loss: ["drop"], rtt: ["round-trip"],
    throughput: ["goodput"], goodput: ["throughput"], starve: ["starvation"], fairness: ["jain"],
    aqm: ["red", "codel", "pie"],
  };
  const SILENT = new Set("vs versus and or the a an of in to how do i is with on for my what which".split(" "));
  const plain = (word) => word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "")
    .replace(/ization/, "isation").replace(/(?<=.{3})iz(e[ds]?|ing)$/, "is$1").replace(/['’]s$/, "");
  const stem = (word) => (word.length > 4 ? word.replace(/(?<![su])s$/, "") : word);
  // a word of a text, and its parts where it is put together ('drop-tail', 'rtt_ms')
  const wordsOf = (text) => text.split(/[\s,;:()[\]"“”‘’!?/|→×=<>`]+|\.(?=\s|$)|[–—]/u).filter(Boolean)
    .flatMap((word) => (/[-_]/.test(word) ? [word.replace(/[-_]/g, ""), ...word.split(/[-_]/)] : [word]))
    .map((word) => stem(plain(word))).filter((word) => word && !SILENT.has(word));

  const [entries, runs] = [await unpack("search-entries"), await unpack("search-runs")];
  const index = new Map(); // word -> {section: weight}
  const lengths = entries.map(([kind, name, title, , text], i) => {
    const words = wordsOf(text);
    // names of tables and columns are no titles of what readers look for
    for (const [weight, of] of [[8, wordsOf(title.replace(/\S*_\S*/g, " "))], [2, wordsOf(title)], [3, wordsOf(`${kind} ${name}`)], [1, words]])
      for (const word of of) {
        if (!index.has(word)) index.set(word, new Map());
        index.get(word).set(i, (index.get(word).get(i) ?? 0) + weight);
      }
    return words.length;
  });
  const mean = lengths.reduce((a, b) => a + b, 0) / lengths.length || 1;
  // how much n mentions say of a section, as BM25 has it: less in a long one, and not without end
  const weighed = (n, i) => n / (n + 1.2 * (0.3 + (0.7 * lengths[i]) / mean));

  // edits from one word to another (Levenshtein), no more than `most` + 1
  function distance(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let row = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++)
        next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
      if (Math.min(...next) > most) return most + 1;
      row = next;
    }
    return row[b.length];
  }
  // {section: weight} of a word, of those that begin with it, and of words like it
  function sections(word, similar) {
    const found = new Map(), most = similar && !/\d/.test(word) ? (word.length > 7 ? 2 : word.length > 3 ? 1 : 0) : 0;
    for (const [known, of] of index) {
      let share = known === word ? 1 : word.length > 2 && known.startsWith(word) ? 0.5 : 0;
      if (!share && most && distance(word, known, most) <= most) share = 0.25;
      if (!share) continue;
      const rare = Math.log(1 + entries.length / of.size);
      for (const [i, n] of of) found.set(i, (found.get(i) ?? 0) + share * rare * weighed(n, i));
    }
    return found;
  }
  // sections that have every one of the words, or some of them, the best first
  function hits(words, similar, some) {
    const total = new Map();
    for (const word of words) {
      const of = sections(word, similar);
      for (const other of SAME[word] ?? [])
        for (const [i, n] of sections(other, similar)) of.set(i, (of.get(i) ?? 0) + n / 2);
      for (const [i, n] of of) {
        const [count, sum] = total.get(i) ?? [0, 0];
        total.set(i, [count + 1, sum + n]);
      }
    }
    const kept = [...total].filter(([, [count]]) => some || count === words.length);
    return kept.sort(([a, [m, x]], [b, [n, y]]) => n - m || y - x || a - b).map(([i]) => i);
  }
  function runHits(query) {
    const words = query.toLowerCase().split(/\s+/).filter((word) => /[/_]/.test(word));
    return !words.length ? [] : Object.entries(runs).flatMap(([dataset, ids]) =>
      ids.filter((id) => words.every((word) => `${dataset}/${id}`.toLowerCase().includes(word))).map((id) => [dataset, id]));
  }

  const make = (tag, attributes, ...children) => {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...children);
    return made;
  };
  // the sentence of a text that has most of the words, these marked
  function snippet(text, words) {
    const has = (sentence) => words.filter((word) => plain(sentence).includes(word)).length - sentence.length / 2000;
    const all = text.match(/[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]?/g) ?? [text];
    const best = all.reduce((a, b) => (has(b) > has(a) ? b : a)).trim();
    const short = best.length > 260 ? best.slice(0, 260).replace(/\s\S*$/, " …") : best;
    const of = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
    return short.split(new RegExp(`(${of})`, "gi")).map((piece, i) => (i % 2 ? make("mark", {}, piece) : piece));
  }
  const input = place.querySelector("input"), list = document.getElementById("search-found");
  function search() {
    const query = input.value.trim(), words = wordsOf(query), ids = runHits(query);
    try {
      history.replaceState(null, "", query ? `?q=${encodeURIComponent(query)}` : location.pathname);
    } catch { /* a browser that keeps files apart */ }
    let found = [], how = "";
    // words that no page has, for which there are others
    const instead = words.filter((word) => !index.has(word) && SAME[word]);
    const meant = instead.map((word) => ` (${word}: ${SAME[word].join(", ")})`).join("");
    const marked = words.flatMap((word) => [word, ...(instead.includes(word) ? SAME[word] : [])]);
    for (const [said, similar, some] of words.length ? [["", false, false], [" with similar words", true, false], [" with some of the words", true, true]] : []) {
      [found, how] = [hits(words, similar, some), said];
      if (found.length || ids.length) break;
    }
    const several = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
    say(!query ? "" : !found.length && !ids.length ? "Nothing was found. Try fewer or other words." :
      [...(ids.length ? [several(ids.length, "run")] : []), ...(found.length ? [several(found.length, "section") + how + meant] : [])].join(", ")
      + (found.length > 30 || ids.length > 20 ? ", the first of them below" : ""));
    list.replaceChildren(
      ...ids.slice(0, 20).map(([dataset, id]) => make("li", {},
        make("a", { href: `datasets/${encodeURIComponent(dataset)}/index.html#run=${encodeURIComponent(id)}` }, id),
        make("p", { className: "where" }, `run of the data set ${dataset}`))),
      ...found.slice(0, 30).map((i) => {
        const [kind, name, title, url, text] = entries[i];
        return make("li", {}, make("a", { href: url }, title), make("p", { className: "where" }, `${kind}: ${name}`),
          make("p", {}, ...snippet(text, marked)));
      }));
  }
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  place.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.focus();
  });
  input.addEventListener("input", search);
  input.disabled = false;
  input.focus();
  search();
})();
