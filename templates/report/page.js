'use strict';
/**
 * What makes the report of a run comfortable: search, links that open what they lead to, times in the reader's own zone; and
 * on a page that follows its run, what has changed. Everything is readable without it.
 */
(() => {
  const search = document.querySelector('.search');
  const input = document.getElementById('search');
  const hits = document.getElementById('hits');
  const live = document.getElementById('live');
  const { events, main } = document.body.dataset;

  /** Lower-case text of an element, as long as that stands. */
  let texts = new WeakMap();
  /** Folded tasks that the search has opened. */
  const opened = new Set();

  function textOf(element) {
    const known = texts.get(element);
    if (known !== undefined) return known;
    const text = element.textContent.toLowerCase();
    texts.set(element, text);
    return text;
  }

  function filter() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (element) => words.every((word) => textOf(element).includes(word));
    let attemptHits = 0;
    let taskHits = 0;
    for (const task of document.querySelectorAll('.task')) {
      const attempts = [...task.querySelectorAll('.attempt')];
      const found = attempts.filter(has);
      const isHit = found.length > 0 || has(task);
      // Words that stand in the task's own lines, or in several attempts, find the task whole.
      const shown = found.length > 0 ? found : attempts;
      task.hidden = !isHit;
      for (const attempt of attempts) attempt.hidden = isHit && !shown.includes(attempt);
      if (!isHit) continue;
      taskHits += 1;
      attemptHits += shown.length;
      unfold(task.querySelector(':scope > details'), words.length > 0 && found.length > 0);
    }
    const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;
    const told = `${count(taskHits, 'task')}, ${count(attemptHits, 'attempt')}`;
    hits.textContent = words.length === 0 ? '' : told;
    document.getElementById('no-hits').hidden = taskHits > 0 || words.length === 0;
  }

  /** A task that the search opened is folded again after it. */
  function unfold(details, isFound) {
    if (details === null) return;
    if (isFound && !details.open) {
      details.open = true;
      opened.add(details.parentElement.id);
    } else if (!isFound && opened.delete(details.parentElement.id)) details.open = false;
  }

  /** The target of the address, opened with all that it lies in. */
  function showTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null) return;
    const inner = target.matches('.task') ? target.querySelector('details') : target;
    for (let at = inner; at !== null; at = at.parentElement)
      if (at.localName === 'details') at.open = true;
    target.scrollIntoView();
  }

  function tellTimes() {
    for (const time of document.querySelectorAll('time')) {
      const moment = new Date(time.dateTime);
      if (Number.isNaN(moment.getTime())) continue;
      time.title = `${time.dateTime.slice(0, 16).replace('T', ' ')} UTC`;
      time.textContent = moment.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
    }
  }

  /** What the reader decides about an element, not the run. */
  const own = new Set(['open', 'hidden']);

  function takeAttributes(old, now) {
    if (old.dataset?.verdict !== now.dataset?.verdict || old.dataset?.state !== now.dataset?.state)
      openAnew(old, now);
    for (const { name } of [...old.attributes])
      if (!own.has(name) && !now.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of now.attributes)
      if (!own.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }

  /** A verdict that is new opens what it would have opened on a fresh page. */
  function openAnew(old, now) {
    const of = (element) =>
      element.localName === 'details' ? element : element.querySelector(':scope > details');
    const [before, after] = [of(old), of(now)];
    if (before !== null && after?.open === true) before.open = true;
  }

  function isSame(old, now) {
    return old.nodeType === now.nodeType && old.nodeName === now.nodeName && old.id === now.id;
  }

  /** Makes an element what it is now, keeping every node that is still there: with it go focus, scroll and open details. */
  function morph(old, now) {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.data !== now.data) old.data = now.data;
      return;
    }
    takeAttributes(old, now);
    const byId = new Map(
      [...old.children].filter(({ id }) => id).map((child) => [child.id, child]),
    );
    let at = old.firstChild;
    for (const child of [...now.childNodes]) {
      const named = child.id ? byId.get(child.id) : undefined;
      const known = named?.nodeName === child.nodeName ? named : undefined;
      if (known !== undefined && known !== at) old.insertBefore(known, at);
      else if (at === null || !isSame(at, child)) {
        old.insertBefore(document.importNode(child, true), at);
        continue;
      }
      const kept = known ?? at;
      at = kept.nextSibling;
      if (!kept.isEqualNode(child)) morph(kept, child);
    }
    while (at !== null) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  }

  function tellState(state, words) {
    if (live.dataset.state === state) return;
    live.dataset.state = state;
    live.textContent = words;
  }

  /** Of a run that is over there is nothing more to hear. */
  function tellLost() {
    if (document.querySelector('main').dataset.over !== 'false') return;
    tellState('lost', 'connection lost');
  }

  async function refresh() {
    const answer = await fetch(main, { cache: 'no-store' });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const parsed = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const now = parsed.querySelector('main');
    morph(document.querySelector('main'), now);
    texts = new WeakMap();
    settle();
  }

  function settle() {
    tellTimes();
    filter();
    const { title, over } = document.querySelector('main').dataset;
    document.title = title;
    if (live === null) return;
    if (over !== 'false') tellState('finished', over === 'died' ? 'died' : 'finished');
    else tellState('live', 'live');
  }

  /** One request at a time; what changes meanwhile is asked for after it. */
  function follow() {
    let isAsking = false;
    let isStale = false;
    const ask = async () => {
      isStale = true;
      if (isAsking) return;
      isAsking = true;
      try {
        while (isStale) {
          isStale = false;
          await refresh();
        }
      } catch {
        tellLost();
      } finally {
        isAsking = false;
      }
    };
    // Its server says where the run stands at once, and again after each gap.
    const source = new EventSource(events);
    source.addEventListener('changed', ask);
    source.addEventListener('error', tellLost);
  }

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && event.target === input) {
      input.value = '';
      filter();
      input.blur();
    }
    const isTyping = event.target.closest?.('input, textarea, select') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
  input.addEventListener('input', filter);
  addEventListener('hashchange', showTarget);
  search.hidden = false;
  tellTimes();
  if (location.hash !== '') showTarget();
  if (live !== null) follow();
})();
