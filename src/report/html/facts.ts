import { oneLine } from '../../core/text.ts';
import { markup, type Html } from './markup.ts';

/** Names and what they are, those left out of which nothing is known (''). */
export function renderFacts(facts: readonly (readonly [string, Html | string])[]): Html {
  const rows = facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => {
      const shown = typeof value === 'string' ? oneLine(value) : value;
      return markup`<div><dt>${name}</dt><dd>${shown}</dd></div>`;
    });
  return markup`<dl class="facts">${rows}</dl>`;
}

/** A moment, in UTC; the page's script says it in the reader's own time. */
export function renderTime(time: string): Html {
  return markup`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
