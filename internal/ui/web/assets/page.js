// The only script of the pages. It sends the token as a header, loads pages, and applies their changes. Everything works without it but the
// live changes.
"use strict";
(() => {
  const key = "aura-token";
  const header = "Aura-Token";

  // The printed address has the token in its fragment. It is taken out of the address, and kept for this tab alone.
  const readToken = () => {
    const given = /^#([0-9a-f]{64})$/.exec(location.hash);
    if (given) {
      sessionStorage.setItem(key, given[1]);
      history.replaceState(null, "", location.pathname + location.search);
    }
    return sessionStorage.getItem(key) || "";
  };
  let token = readToken();
  // Each load of a page ends the stream of the page before.
  let current = new AbortController();

  const ask = (address, accept, signal) => {
    const headers = { Accept: accept };
    if (token) headers[header] = token;
    return fetch(address, { headers, signal, cache: "no-store", redirect: "follow", referrerPolicy: "no-referrer" });
  };
  const say = (text) => {
    const place = document.getElementById("connection");
    if (place && place.textContent !== text) place.textContent = text;
  };

  // load shows another page in place of this one.
  const load = async (address, kind) => {
    current.abort();
    current = new AbortController();
    const signal = current.signal;
    let answer;
    try {
      answer = await ask(address, "text/html", signal);
    } catch (e) {
      if (!signal.aborted) say("aura web does not answer: it may have ended");
      return;
    }
    if (answer.status === 401) {
      sessionStorage.removeItem(key);
      say("the token is missing or wrong: open the address that aura web printed");
      return;
    }
    const text = await answer.text();
    if (signal.aborted) return;
    const next = new DOMParser().parseFromString(text, "text/html");
    if (!next.getElementById("content")) {
      say(text);
      return;
    }
    const target = new URL(answer.url);
    const url = target.pathname + target.search + new URL(address, location.href).hash;
    if (kind === "push") history.pushState(null, "", url);
    if (kind === "replace") history.replaceState(null, "", url);
    document.title = next.title;
    document.body.replaceChildren(...next.body.childNodes);
    for (const name of ["live", "shell"]) {
      delete document.body.dataset[name];
      if (name in next.body.dataset) document.body.dataset[name] = "";
    }
    const anchor = location.hash && document.getElementById(location.hash.slice(1));
    if (anchor) anchor.scrollIntoView();
    else if (kind === "push") scrollTo(0, 0);
    if (kind === "push") document.getElementById("content").focus({ preventScroll: true });
    follow(signal);
  };

  // follow applies the changes of this page until another one is loaded, and asks again after a failure.
  const follow = async (signal) => {
    if (!("live" in document.body.dataset)) {
      say("");
      return;
    }
    for (let pause = 500; !signal.aborted; pause = Math.min(pause * 2, 10000)) {
      try {
        const answer = await ask(location.pathname + location.search, "application/x-ndjson", signal);
        if (answer.status === 401) {
          say("not live: the token is no longer valid");
          return;
        }
        if (answer.ok) {
          say("live");
          pause = 250;
          await lines(answer.body, (line) => JSON.parse(line).forEach(apply));
        }
      } catch (e) {
        if (signal.aborted) return;
      }
      say("not live: connecting again");
      await new Promise((done) => setTimeout(done, pause));
    }
  };

  const lines = async (body, use) => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n");
      rest = parts.pop();
      parts.filter(Boolean).forEach(use);
    }
  };

  // apply puts the changed items of a box into their order, which is the present one if the change has none. Items that did not change stay the same elements. HTML comes from our server
  // alone, where every text is escaped.
  const apply = (change) => {
    const box = document.getElementById(change.box);
    if (!box) return;
    const fresh = new Map();
    for (const item of change.items) {
      const holder = document.createElement("template");
      holder.innerHTML = item.html;
      fresh.set(item.id, holder.content.firstElementChild);
    }
    const present = new Map([...box.children].map((e) => [e.id, e]));
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
    const wanted = [];
    for (const id of change.order || present.keys()) {
      const old = present.get(id);
      const now = fresh.get(id);
      if (now && old && !old.isEqualNode(now)) {
        restore(old, now);
        const focused = old.contains(document.activeElement) ? path(old, document.activeElement) : null;
        old.replaceWith(now);
        if (focused) at(now, focused)?.focus({ preventScroll: true });
        wanted.push(now);
      } else {
        wanted.push(old || now);
      }
    }
    wanted.filter(Boolean).forEach((element, i) => {
      if (box.children[i] !== element) box.insertBefore(element, box.children[i] || null);
    });
    while (box.children.length > wanted.length) box.lastElementChild.remove();
    if (change.box === "messages" && atEnd && present.size < wanted.length) scrollTo(0, document.documentElement.scrollHeight);
  };

  // restore keeps what the user unfolded and how far he scrolled.
  const restore = (old, now) => {
    for (const details of old.querySelectorAll("details[open][data-key]")) {
      const same = now.querySelector(`details[data-key="${CSS.escape(details.dataset.key)}"]`);
      if (same) same.open = true;
    }
  };
  const path = (root, element) => {
    const out = [];
    for (let e = element; e !== root; e = e.parentElement) out.unshift([...e.parentElement.children].indexOf(e));
    return out;
  };
  const at = (root, steps) => steps.reduce((e, i) => e && e.children[i], root);

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.getAttribute("href").startsWith("#") || link.pathname.startsWith("/plain/")) return;
    event.preventDefault();
    load(link.href, "push");
  });
  // request sends a form that asks for a change. The answer comes when somebody has answered in the terminal.
  const request = async (form, button) => {
    const place = document.getElementById("answered");
    const answer = (text) => {
      if (place) place.textContent = text;
    };
    answer("answer in the terminal that runs aura web");
    try {
      const body = new URLSearchParams(new FormData(form, button));
      const headers = { [header]: token };
      const sent = await fetch(form.getAttribute("action"), { method: "POST", headers, body, cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" });
      answer(await sent.text());
    } catch (e) {
      answer("aura web does not answer: it may have ended");
    }
  };

  document.addEventListener("submit", (event) => {
    if (event.target.getAttribute("method") === "post") {
      event.preventDefault();
      request(event.target, event.submitter);
      return;
    }
    event.preventDefault();
    load(event.target.action + "?" + new URLSearchParams(new FormData(event.target)), "push");
  });
  addEventListener("popstate", () => load(location.href, "none"));
  addEventListener("hashchange", () => {
    const before = token;
    token = readToken();
    if (token !== before) load(location.href, "replace");
  });

  if ("shell" in document.body.dataset) {
    if (token) load(location.pathname === "/" || location.pathname.startsWith("/plain/") ? "/sessions" : location.href, "replace");
    else say("the token is missing: open the address that aura web printed");
  } else {
    follow(current.signal);
  }
})();
