"use strict";
// A view inside a chat (MCP Apps, 2026-01-26): what the host tells of a tool's call becomes elements, all its texts text.
(() => {
  const main = document.getElementById("main");
  const awaited = new Map();
  let numbers = 0;
  let capabilities = {};
  let given = {};

  // What the host and the view say to each other.
  const send = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++numbers;
      awaited.set(id, { resolve, reject });
      send({ id, method, params });
    });
  const call = async (name, args) => answerOf(await ask("tools/call", { name, arguments: args }));
  const answerOf = (result) => {
    if (result?.structuredContent) return result.structuredContent;
    const text = result?.content?.find((part) => part.type === "text")?.text ?? "";
    try {
      return JSON.parse(text);
    } catch {
      return { ok: false, error: { message: text } };
    }
  };
  const heard = {
    "ui/notifications/tool-input": (params) => { given = params?.arguments ?? {}; },
    "ui/notifications/tool-result": (params) => show(answerOf(params)),
    "ui/notifications/tool-cancelled": () => say("The call was cancelled."),
    "ui/notifications/host-context-changed": (params) => dress(params),
  };
  window.addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== window.parent || message?.jsonrpc !== "2.0") return;
    if (message.method === undefined) {
      const waiting = awaited.get(message.id);
      awaited.delete(message.id);
      if (message.error) waiting?.reject(new Error(message.error.message));
      else waiting?.resolve(message.result);
    } else if (message.id === undefined) heard[message.method]?.(message.params);
    else if (["ping", "ui/resource-teardown"].includes(message.method)) send({ id: message.id, result: {} });
    else send({ id: message.id, error: { code: -32601, message: "There is no such method here." } });
  });
  const colours = {
    "--ink": "--color-text-primary", "--quiet": "--color-text-secondary", "--paper": "--color-background-primary",
    "--raised": "--color-background-secondary", "--line": "--color-border-primary",
  };
  const dress = (context) => {
    const root = document.documentElement.style;
    if (context?.theme) root.colorScheme = context.theme;
    const theirs = context?.styles?.variables ?? {};
    // some of them alone might not be told apart from ours
    if (Object.values(colours).every((name) => theirs[name])) {
      for (const [own, name] of Object.entries(colours)) root.setProperty(own, theirs[name]);
    }
  };

  // Elements: texts only ever become text, without what turns their direction.
  const plain = (text) =>
    String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      (sign) => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"));
  const built = (made, attributes, inside) => {
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, plain(value));
    made.append(...inside.filter((one) => one !== "" && one !== false && one !== null && one !== undefined)
      .map((one) => (one instanceof Node ? one : plain(one))));
    return made;
  };
  const el = (name, attributes = {}, ...inside) => built(document.createElement(name), attributes, inside);
  const svg = (name, attributes = {}, ...inside) =>
    built(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, inside);
  const button = (text, does) => {
    const made = el("button", { type: "button" }, text);
    made.addEventListener("click", does);
    return made;
  };
  const put = (...inside) => main.replaceChildren(...inside.filter(Boolean));
  const say = (text) => put(el("p", { role: "status" }, text));
  const number = (count) => Number(count).toLocaleString("en");
  const conversations = (count) => `${number(count)} conversation${count === 1 ? "" : "s"}`;
  const moment = (text) => el("time", {}, String(text ?? "").slice(0, 16).replace("T", " "));
  const marked = (snippet) => {
    const parts = String(snippet).split(/<mark>(.*?)<\/mark>/s);
    return el("q", { dir: "auto" }, ...parts.map((part, at) => (at % 2 ? el("mark", {}, part) : part)));
  };
  const chip = (text) => el("span", { class: "chip" }, el("bdi", {}, text));
  const tags = (of) => Object.entries(of ?? {}).map(([key, value]) => chip(`${key}=${value}`));
  // Who speaks, with the initials and the colour that the web UI gives them.
  const colour = (name) => {
    let sum = ~0;
    for (const byte of new TextEncoder().encode(name)) {
      sum ^= byte;
      for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
    }
    return (~sum >>> 0) % 7;
  };
  const avatar = (name) => {
    const words = name.match(/\p{L}+/gu) ?? [];
    const initials = [...new Set([0, Math.max(words.length - 1, 0)])].map((at) => (words[at] ?? "#")[0]).join("").toUpperCase();
    return el("span", { class: `avatar c${colour(name)}`, "aria-hidden": "true" }, initials);
  };
  const said = (who, facts, words, goesOn) => el("div", { class: `turn${goesOn ? " again" : ""}` },
    who && avatar(who),
    el("div", { class: "said" },
      el("p", { class: "who" }, who && el("bdi", {}, who), " ", ...facts),
      el("p", { class: "words", dir: "auto" }, words)));
  const party = (one) => {
    const name = one?.name ?? one?.tel ?? one?.mailto ?? one?.uuid ?? "";
    return one?.role ? `${name} (${one.role})` : name;
  };
  const problem = (error) =>
    el("p", { class: "problem", role: "alert" }, error?.message ?? error ?? "The call failed.");

  // A search: its hits, each opens; further pages.
  const search = (answer) => {
    const { count, total, has_more: more, total_relation: relation, next_cursor: cursor } = answer.page ?? {};
    const told = !count ? "Nothing found."
      : total === undefined ? `${conversations(count)}${more ? ", and there are more" : ""}`
      : `${number(count)} of ${relation === "at_least" ? "more than " : ""}${conversations(total)}`;
    put(
      el("p", { role: "status" }, told),
      el("ol", { class: "hits" }, ...(answer.items ?? []).map((item) => hit(item, answer))),
      cursor && capabilities.serverTools && button("Next page", () =>
        follow("vcon_search", { ...given, cursor }, search, () => search(answer))),
    );
  };
  const hit = (item, answer) => {
    const parties = (item.parties ?? []).map(party).join(", ");
    const subject = item.subject || parties || "(no subject)";
    const opens = () => read(item, () => search(answer));
    const heading = capabilities.serverTools ? button(subject, opens) : el("bdi", {}, subject);
    const places = (item.match?.hits ?? []).flatMap((place) => {
      const at = place.content_index === undefined ? place.content_type : `${place.content_type} ${place.content_index}`;
      const where = place.turn === undefined ? place.content_name ?? at : `turn ${place.turn}`;
      const label = el("span", { class: "where" }, where.replaceAll("_", " "));
      const turns = [place, ...(place.neighbours ?? [])].sort((one, other) => one.turn - other.turn);
      return place.speaker
        ? turns.map((turn) => said(turn.speaker, turn === place ? [label] : [], marked(turn.snippet)))
        : said("", [label], marked(place.snippet));
    });
    return el("li", {},
      el("h2", { dir: "auto" }, heading),
      el("p", { class: "facts" }, moment(item.began_at ?? item.created_at), " ",
        el("bdi", {}, item.subject ? parties : ""), " ", item.match?.strength && el("span", { class: "strength" },
          item.score !== undefined && el("meter", { min: 0, max: 1, value: item.score, "aria-label": `Score ${item.score}` }),
          " ", item.match.strength)),
      ...places,
      places.length ? "" : el("p", { class: "place", dir: "auto" }, item.summary?.[0]?.text ?? ""),
      el("p", { class: "facts" }, ...tags(item.tags)));
  };
  // The evidence for an answer: conversations with the turns that were found, each opens.
  const evidence = (answer, back) => {
    const { answerable, hints = [], never_said: missing = [] } = answer.meta ?? {};
    const told = { likely: "An answer is likely here.", nothing_found: "Nothing found that answers it." };
    const cursor = answer.page?.next_cursor;
    put(
      back,
      el("p", { role: "status" }, told[answerable] ?? "Unsure whether this answers it."),
      ...hints.map(({ message }) => el("p", { class: "note" }, message)),
      missing.length > 0 && el("p", { class: "note" }, `Said nowhere: ${missing.join(", ")}.`),
      el("ol", { class: "hits" }, ...(answer.items ?? []).map((item) => source(item, answer))),
      cursor && capabilities.serverTools && button("Next page", () =>
        follow("vcon_recall", { ...given, cursor }, evidence, () => evidence(answer))),
    );
  };
  const source = (item, answer) => {
    const subject = item.subject || (item.people ?? []).join(", ") || "(no subject)";
    const opens = capabilities.serverTools && ["conversation", "session"].includes(item.kind);
    const heading = opens ? button(subject, () => read(item, () => evidence(answer))) : el("bdi", {}, subject);
    return el("li", {},
      el("h2", { dir: "auto" }, heading),
      el("p", { class: "facts" }, moment(item.at), " ", el("bdi", {}, (item.people ?? []).join(", "))),
      ...(item.turns ?? []).map((turn, at, all) => {
        const label = el("span", { class: "where" }, turn.turn === undefined ? turn.part : `turn ${turn.turn}`);
        return said(turn.speaker ?? "", [label, " ", turn.at !== all[at - 1]?.at && moment(turn.at)], turn.text);
      }));
  };
  const _SHOWN = ["core", "parties", "summary", "tags"];
  const _TURNS = 100;
  const some = (id, first) => ({ id, turns: `${first}-${first + _TURNS - 1}` });
  const read = (item, back) => follow("vcon_fetch", { ...some(item.id, 0), include: _SHOWN }, conversation, back);
  const follow = async (name, args, view, back) => {
    say("Waiting for the answer.");
    try {
      const answer = await call(name, args);
      if (answer.ok === false) put(problem(answer.error), button("Back", back));
      else view(answer, button("Back", back));
    } catch (error) {
      put(problem(error.message), button("Back", back));
    }
  };

  // A conversation, as vcon_fetch or get_vcon answers it.
  const conversation = (answer, back) => {
    const item = answer.item ?? answer.vcon ?? {};
    const parties = item.parties ?? [];
    const turns = item.turns ? spoken(item) : bodies(item, parties);
    const further = item.turns && more(item, answer.meta?.total_turns);
    const text = !turns.length && item.transcript?.text;
    const unread = !turns.length && !text && !item.dialog && !item.turns && item.transcript === undefined;
    put(
      back,
      el("h1", { dir: "auto" }, item.subject || parties.map(party).join(", ") || "(no subject)"),
      el("p", { class: "facts" }, moment(item.began_at ?? item.created_at), " ", el("code", {}, item.uuid ?? "")),
      el("ul", { class: "parties" }, ...parties.map((one) => el("li", {}, el("bdi", {}, party(one))))),
      el("p", { class: "chips" }, ...tags(Array.isArray(item.tags) ? {} : item.tags ?? answer.metadata?.tags)),
      ...(item.summary ?? []).map((one) => el("p", { class: "summary", dir: "auto" }, one.text)),
      ...shownTurns(turns),
      further,
      text && said("", [], text),
      !turns.length && !text && !unread && el("p", { class: "note" }, "Nothing that was said is here as text."),
      unread && item.id && capabilities.serverTools && button("What was said", () => read(item, () => conversation(answer, back))),
    );
  };
  const spoken = (item) => item.turns.map((turn) => ({ who: turn.speaker ?? "", at: turn.at, words: turn.text || turn.instead }));
  const bodies = (item, parties) => (item.dialog ?? [])
    .filter((turn) => typeof turn?.body === "string" && turn.encoding !== "base64url")
    .map((turn) => ({ who: party(parties[turn.originator ?? [turn.parties].flat()[0]]), at: turn.start, words: turn.body }));
  const drawn = (turns, before) => turns.map((turn, at) => {
    const last = at ? turns[at - 1] : before;
    return said(turn.who, [turn.at !== last?.at && moment(turn.at)], turn.words, turn.who && turn.who === last?.who);
  });
  // The first turns, and a button that puts further ones in its place.
  const shownTurns = (turns, before) => {
    const rest = turns.slice(_TURNS);
    const shown = drawn(turns.slice(0, _TURNS), before);
    if (rest.length) shown.push(inPlace(rest.length, () => shownTurns(rest, turns[_TURNS - 1])));
    return shown;
  };
  // The same for turns that the server still has.
  const more = (item, total) => {
    const last = item.turns.at(-1)?.turn ?? -1;
    if (!(total > last + 1) || !capabilities.serverTools) return "";
    return inPlace(total - last - 1, async () => {
      const answer = await call("vcon_fetch", some(item.id, last + 1));
      if (answer.ok === false) return [problem(answer.error)];
      return [...drawn(spoken(answer.item), spoken(item).at(-1)), more(answer.item, total)].filter(Boolean);
    });
  };
  const inPlace = (count, further) => {
    const made = button(`Further turns (${number(count)})`, async () => {
      const elements = await Promise.resolve(further()).catch((error) => [problem(error.message)]);
      made.replaceWith(...elements);
      Object.assign(elements[0], { tabIndex: -1 }).focus();
    });
    return made;
  };

  // Counts as bars, and what occurs together as a circle.
  const graph = (answer) => {
    const { nodes = [], edges = [], corpus = {} } = answer.item ?? {};
    const types = [...new Set(nodes.map((node) => node.type))];
    put(
      el("p", { role: "status" }, conversations(corpus.counted ?? corpus.vcons ?? 0)),
      edges.length > 0 && circle(nodes.slice(0, 40), edges.slice(0, 120), types),
      el("div", { class: "plots" }, ...types.map((type) => el("section", {},
        el("h2", {}, type.replaceAll("_", " ")), bars(nodes.filter((node) => node.type === type).slice(0, 24))))),
    );
  };
  const bars = (values) => {
    const most = Math.max(...values.map((value) => value.count));
    return svg("svg", { role: "group", viewBox: `0 0 400 ${values.length * 36}` }, ...values.flatMap((value, row) => [
      svg("text", { x: 0, y: row * 36 + 12 }, `${value.label.slice(0, 48)} (${number(value.count)})`),
      svg("rect", { class: "bar", x: 0, y: row * 36 + 17, width: Math.max(1, Math.round(400 * value.count / most)), height: 10 }),
    ]));
  };
  const circle = (nodes, edges, types) => {
    const order = [...nodes].sort((one, other) => types.indexOf(one.type) - types.indexOf(other.type));
    const turn = (360 / order.length) * (Math.PI / 180);
    const point = (id) => {
      const at = order.findIndex((node) => node.id === id) * turn;
      return `${(190 * Math.cos(at)).toFixed(1)} ${(190 * Math.sin(at)).toFixed(1)}`;
    };
    const listed = new Set(order.map((node) => node.id));
    const lines = edges.filter((edge) => listed.has(edge.source) && listed.has(edge.target)).reverse();
    return svg("svg", { class: "circle", role: "group", "aria-label": `${order.length} names, ${lines.length} pairs`, viewBox: "-380 -380 760 760" },
      ...lines.map((edge) => svg("path", {
        class: "edge", d: `M${point(edge.source)}Q0 0 ${point(edge.target)}`, "stroke-width": 0.5 + 3.5 * edge.strength,
      }, svg("title", {}, `${edge.source} and ${edge.target}: ${number(edge.joint_count)}`))),
      ...order.map((node, at) => {
        const angle = (at * 360) / order.length;
        const left = angle > 90 && angle < 270;
        const place = left ? { x: -10, "text-anchor": "end", transform: "rotate(180)" } : { x: 10 };
        return svg("g", { class: `node k${types.indexOf(node.type) % 8}`, transform: `rotate(${angle.toFixed(1)}) translate(190)` },
          svg("circle", { r: 5 }), svg("text", { dy: 4, ...place }, `${node.label.slice(0, 26)} (${number(node.count)})`));
      }));
  };

  const views = { search, evidence, conversation, graph };
  const show = (answer) => {
    const error = answer.ok === false || answer.success === false;
    if (error) put(problem(answer.error));
    else views[main.dataset.view](answer);
  };
  ask("ui/initialize", {
    appInfo: { name: "vcontract", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    protocolVersion: "2026-01-26",
  }).then((result) => {
    capabilities = result?.hostCapabilities ?? {};
    dress(result?.hostContext);
    send({ method: "ui/notifications/initialized" });
    new ResizeObserver(() => send({
      method: "ui/notifications/size-changed",
      params: { width: document.body.scrollWidth, height: document.body.scrollHeight },
    })).observe(document.body);
  }, (error) => put(problem(error.message)));
})();
