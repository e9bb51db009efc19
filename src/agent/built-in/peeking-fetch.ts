import { parseObject } from '../json-fields.ts';
import { statusIn } from './error-codes.ts';

/**
 * As `fetch`, except that an error which comes as the whole of a 200 gets the status that it names, else 500: who waits for a
 * stream of events would see nothing but its end.
 */
export const peekingFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.ok || response.body === null) return response;
  const reader = response.body.getReader();
  const first = await reader.read();
  const body = restOf(first, reader);
  // No event of a stream begins so (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
  const isObject = Buffer.from(first.value ?? [])
    .toString('latin1')
    .trimStart()
    .startsWith('{');
  if (!isObject) return new Response(body, response);
  const text = await new Response(body).text();
  const error = parseObject(text)?.['error'] ?? undefined;
  return error === undefined
    ? new Response(text, response)
    : new Response(text, { status: statusIn(error) ?? 500, headers: response.headers });
};

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
type Chunk = Awaited<ReturnType<Reader['read']>>;

function restOf(first: Chunk, reader: Reader): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next: Chunk | undefined = first;
  return new ReadableStream({
    pull: async (controller) => {
      const { value, done } = next ?? (await reader.read());
      next = undefined;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
