#!/usr/bin/env node
// A scripted stand-in for the services that coding agents talk to, so that the real clients run offline. It speaks Anthropic
// Messages, OpenAI Chat Completions and Responses, and Gemini generateContent, streaming and not.
//
//   node server.mjs --scenario FILE [--port 0] [--host 127.0.0.1] [--log FILE] [--dump DIR]
//
// Prints one JSON line {"port","url","pid"} once it listens; SIGTERM ends it with exit 0. A scenario is
//   {"rules": [{"when": "regex over the prompt", "turns": [{"tool": "write", "path": …, "content": …}, {"text": …}],
//               "usage": {"input_tokens": 1200, "output_tokens": 80}, "error": {"status": 429, "retry_after": 2, "at": 1}}]}
// and is told whole in test/agents/scenarios.ts, by examples.
import http from 'node:http';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values: opt } = parseArgs({
  options: {
    scenario: { type: 'string' },
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    log: { type: 'string' },
    dump: { type: 'string' },
  },
});

let seq = 0,
  requests = 0;
const id = (prefix) => `${prefix}_fake${String(++seq).padStart(6, '0')}`;
const now = () => Math.floor(Date.now() / 1000);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const str = (v) => (typeof v === 'string' ? v : JSON.stringify(v));

// ---------------------------------------------------------------- scenario

// The file is read again whenever it changes, so a test can swap the script of a running server.
// `used` counts how often each error of each rule was served (for `times`).
let scenario = { rules: [] },
  scenarioStamp = '',
  used = new Map();
function loadScenario() {
  if (!opt.scenario) return;
  const stat = fs.statSync(opt.scenario),
    stamp = `${stat.mtimeMs}:${stat.size}:${stat.ino}`;
  if (stamp === scenarioStamp) return;
  const parsed = JSON.parse(fs.readFileSync(opt.scenario, 'utf8'));
  scenario = Array.isArray(parsed) ? { rules: parsed } : parsed;
  if (!Array.isArray(scenario.rules)) throw new Error(`${opt.scenario}: "rules" must be a list`);
  for (const rule of scenario.rules) new RegExp(rule.when ?? ''); // a bad pattern fails here, by name
  scenarioStamp = stamp;
  used = new Map();
}

// {{epoch+60}} and {{iso+60}} in an error's headers or body: that many seconds from now. A body's
// string that is nothing but {{epoch+60}} becomes a number.
const fillTimes = (v) =>
  str(v)
    .replace(/"\{\{epoch\+(\d+)\}\}"/g, (_, s) => String(now() + Number(s)))
    .replace(/\{\{(epoch|iso)\+(\d+)\}\}/g, (_, kind, s) =>
      kind === 'epoch' ? String(now() + Number(s)) : new Date(Date.now() + s * 1000).toISOString(),
    );

// ---------------------------------------------------------------- reading requests

// Every API's request is reduced to: the conversation as [{role, text, calls}] in order (calls =
// tool calls made in that entry), the declared tools [{name, schema, kind}], and flags.
const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? [])
        .filter((b) => typeof b.text === 'string')
        .map((b) => b.text)
        .join('\n');

const READ = {
  anthropic: (b) => ({
    talk: (b.messages ?? []).map((m) => ({
      role: m.role,
      text: textOf(m.content),
      calls: Array.isArray(m.content) ? m.content.filter((c) => c.type === 'tool_use').length : 0,
    })),
    tools: (b.tools ?? []).map((t) => ({ name: t.name, schema: t.input_schema })),
    schema: b.output_config?.format?.schema ?? b.output_format?.schema,
  }),
  chat: (b) => ({
    talk: (b.messages ?? []).map((m) => ({
      role: m.role,
      text: textOf(m.content),
      calls: m.tool_calls?.length ?? 0,
    })),
    tools: (b.tools ?? []).map((t) => ({
      name: (t.function ?? t.custom)?.name,
      schema: t.function?.parameters,
      kind: t.type,
    })),
    schema:
      b.response_format?.json_schema?.schema ??
      (b.response_format?.type === 'json_object' ? {} : undefined),
  }),
  responses: (b) => ({
    talk: (typeof b.input === 'string'
      ? [{ role: 'user', content: b.input }]
      : (b.input ?? [])
    ).map((i) => ({
      role: i.role ?? 'assistant',
      text: textOf(i.content),
      calls: /_call$/.test(i.type ?? '') ? 1 : 0,
    })),
    // Tools may come in an input item, and grouped in a namespace that a call then has to name too.
    tools: [b, ...[].concat(b.input ?? [])]
      .flatMap((i) => i.tools ?? [])
      .flatMap((t) =>
        t.type === 'namespace'
          ? t.tools.map((u) => ({
              name: u.name,
              namespace: t.name,
              schema: u.parameters,
              kind: u.type,
            }))
          : [{ name: t.name ?? t.type, schema: t.parameters, kind: t.type }],
      ),
    schema: b.text?.format?.schema,
  }),
  gemini: (b) => ({
    talk: (b.contents ?? []).map((c) => ({
      role: c.role === 'model' ? 'assistant' : 'user',
      text: textOf(c.parts),
      calls: (c.parts ?? []).filter((p) => p.functionCall).length,
    })),
    tools: (b.tools ?? [])
      .flatMap((t) => t.functionDeclarations ?? [])
      .map((t) => ({ name: t.name, schema: t.parametersJsonSchema ?? t.parameters })),
    schema: b.generationConfig?.responseJsonSchema ?? b.generationConfig?.responseSchema,
  }),
};

function route(url) {
  const p = url.pathname;
  const g = /\/models\/([^/:]+):(\w+)$/.exec(p);
  if (g)
    return {
      api: 'gemini',
      model: decodeURIComponent(g[1]),
      stream: g[2] === 'streamGenerateContent',
      count: g[2] === 'countTokens',
      known: /^(streamG|g)enerateContent$|^countTokens$/.test(g[2]),
    };
  if (/\/messages\/count_tokens$/.test(p)) return { api: 'anthropic', count: true, known: true };
  if (/\/messages$/.test(p)) return { api: 'anthropic', known: true };
  if (/\/chat\/completions$/.test(p)) return { api: 'chat', known: true };
  if (/\/responses$/.test(p)) return { api: 'responses', known: true };
  return { known: false };
}

// Clients put their own context into user messages; a rule must see only what the user asked.
const NOISE =
  /<(system-reminder|environment_context|user_instructions|permissions instructions|INSTRUCTIONS|session_context|environment_details|current_datetime)[^>]*>[\s\S]*?<\/\1>/g;

// Where the client works, as it tells its model: the tools of some clients want absolute paths.
// Only a directory that exists counts, so that a misread sentence cannot send a write elsewhere.
function workDir(text) {
  for (const [, dir] of text.matchAll(
    /(?:working directory|in the directory|workspace directories|<cwd>|\bcwd)[:*>"\s-]*(\/[^\n<"]+)/gi,
  )) {
    const d = dir.trim().replace(/[.,]$/, '');
    if (fs.statSync(d, { throwIfNoEntry: false })?.isDirectory()) return d;
  }
}

// The newest user message that some rule matches is the prompt; the number of tool-calling
// entries after it is the turn. So the server keeps no conversation state, and many clients,
// resumed sessions and retries can share one server.
function plan(req) {
  for (let i = req.talk.length - 1; i >= 0; i--) {
    if (req.talk[i].role !== 'user') continue;
    const prompt = req.talk[i].text.replace(NOISE, '').trim();
    if (!prompt) continue;
    const index = scenario.rules.findIndex((r) => new RegExp(r.when ?? '', 'i').test(prompt));
    if (index < 0) continue;
    const turn = req.talk.slice(i + 1).filter((e) => e.calls > 0).length;
    return { index, rule: scenario.rules[index], turn, prompt };
  }
  return {
    index: -1,
    rule: { turns: [{ text: 'fake-llm: no rule matched.' }] },
    turn: 0,
    prompt: '',
  };
}

// An error of a rule that still applies to this request, if any.
function pickError({ rule, index, turn }, side) {
  const list = [].concat(rule.error ?? []);
  for (const [n, e] of list.entries()) {
    if (side && !e.side) continue; // title or summary requests fail only where asked
    if (e.at !== undefined && e.at !== turn) continue;
    const key = `${index}/${n}`,
      count = used.get(key) ?? 0;
    if (count >= (e.times ?? Infinity)) continue;
    used.set(key, count + 1);
    return e;
  }
}

// ---------------------------------------------------------------- scripted tool -> client's tool

const WRITE = [
  'Write',
  'write_file',
  'write',
  'create',
  'create_file',
  'write_to_file',
  'editor',
  'str_replace_based_edit_tool',
];
const EDIT = [
  'Edit',
  'replace',
  'edit',
  'edit_file',
  'replace_in_file',
  'editor',
  'str_replace_based_edit_tool',
];
const READ_FILE = ['Read', 'read_file', 'read', 'view', 'read_files'];
const SHELL = [
  'Bash',
  'shell_command',
  'exec_command',
  'shell',
  'local_shell',
  'run_shell_command',
  'bash',
  'execute_command',
  'run_commands',
  'run_command',
];
const quote = (s) => `'${String(s).replaceAll("'", `'\\''`)}'`;

function toolCall(turn, req) {
  const find = (names) => names.map((n) => req.tools.find((t) => t.name === n)).find(Boolean);
  const props = (t) => t.schema?.properties ?? {};
  const key = (t, ...names) => names.find((n) => n in props(t));
  const abs = (p) => (path.isAbsolute(p) || !req.cwd ? p : path.join(req.cwd, p));
  const named = (t, input) => ({
    name: t.name,
    namespace: t.namespace,
    kind: t.kind,
    input: required(t, input),
  });
  // Fill what the schema requires beyond what we know (a description, a flag, ...).
  function required(t, input) {
    for (const k of t.schema?.required ?? [])
      if (!(k in input)) {
        const type = props(t)[k]?.type,
          first = props(t)[k]?.enum?.[0];
        input[k] =
          first ??
          (type === 'boolean'
            ? false
            : /number|integer/.test(type)
              ? 0
              : type === 'array'
                ? []
                : 'scripted step');
      }
    return input;
  }
  // Some clients declare only a script runner whose script calls the tools proper.
  const script = (tool, arg) => {
    const t = req.tools.find((x) => x.name === 'exec' && x.kind === 'custom');
    return t && named(t, { source: `text(await tools.${tool}(${JSON.stringify(arg)}));` });
  };
  const shell = (command) => {
    const t = find(SHELL);
    if (!t) return script('exec_command', { cmd: command });
    if (t.kind === 'local_shell')
      return { name: t.name, kind: t.kind, input: { command: ['bash', '-lc', command] } };
    const k = key(t, 'command', 'cmd', 'commands', 'script') ?? 'command';
    return named(t, {
      [k]:
        props(t)[k]?.type === 'array'
          ? k === 'commands'
            ? [command]
            : ['bash', '-lc', command]
          : command,
    });
  };
  const patch = (body) => {
    const t = find(['apply_patch']),
      text = `*** Begin Patch\n${body}*** End Patch\n`;
    return t
      ? named(t, { [key(t, 'input', 'patch', 'patchText') ?? 'input']: text })
      : script('apply_patch', text);
  };
  const lines = (s, mark) =>
    s
      .split('\n')
      .slice(0, s.endsWith('\n') ? -1 : undefined)
      .map((l) => mark + l + '\n')
      .join('');

  if (turn.tool === 'call')
    return named(req.tools.find((t) => t.name === turn.name) ?? { name: turn.name }, {
      ...turn.input,
    });
  if (turn.tool === 'shell') return shell(turn.command);
  if (turn.tool === 'read') {
    const t = find(READ_FILE),
      k = t && key(t, 'file_path', 'filePath', 'path', 'absolute_path', 'files');
    if (!t) return shell(`cat -- ${quote(turn.path)}`);
    return named(t, {
      [k ?? 'file_path']: k === 'files' ? [{ path: abs(turn.path) }] : abs(turn.path),
    });
  }
  if (turn.tool === 'write') {
    const t = find(WRITE),
      content = turn.content ?? '';
    if (t)
      return named(t, {
        ...(props(t).command?.enum?.includes('create') && { command: 'create' }),
        [key(t, 'file_path', 'filePath', 'path', 'absolutePath') ?? 'file_path']: abs(turn.path),
        [key(t, 'content', 'contents', 'file_text', 'new_text', 'text') ?? 'content']: content,
      });
    return (
      patch(`*** Add File: ${turn.path}\n${lines(content, '+')}`) ??
      shell(
        `mkdir -p -- ${quote(path.dirname(turn.path))} && printf %s ${quote(content)} > ${quote(turn.path)}`,
      )
    );
  }
  if (turn.tool === 'edit') {
    const t = find(EDIT);
    if (t)
      return named(t, {
        ...(props(t).command?.enum?.includes('str_replace') && { command: 'str_replace' }),
        [key(t, 'file_path', 'filePath', 'path') ?? 'file_path']: abs(turn.path),
        [key(t, 'old_string', 'oldString', 'old_str', 'old_text') ?? 'old_string']: turn.old,
        [key(t, 'new_string', 'newString', 'new_str', 'new_text') ?? 'new_string']: turn.new,
      });
    return patch(
      `*** Update File: ${turn.path}\n@@\n${lines(turn.old, '-')}${lines(turn.new, '+')}`,
    );
  }
  throw new Error(`unknown tool in scenario: ${turn.tool}`);
}

// A smallest JSON value that fits a schema, for side requests that ask for structured output.
function sample(s = {}) {
  if (s.enum) return s.enum[0];
  const type = String(s.type ?? 'object').toLowerCase();
  if (type === 'string') return 'ok';
  if (type === 'boolean') return false;
  if (/number|integer/.test(type)) return s.minimum ?? 1;
  if (type === 'array') return [];
  return Object.fromEntries(
    (s.required ?? Object.keys(s.properties ?? {})).map((k) => [k, sample(s.properties?.[k])]),
  );
}

// ---------------------------------------------------------------- answers, per API

// Each writer yields [eventName|undefined, data] pairs for a stream, and `whole` gives the
// non-streaming body. `a` is {text} | {refuse} | {call:{name,input,kind}}, u the usage.
const CHUNK = 24; // characters per streamed delta, so that clients really reassemble
const chunks = (s) => s.match(new RegExp(`[\\s\\S]{1,${CHUNK}}`, 'g')) ?? [''];

const ANSWER = {
  anthropic: {
    whole(a, model, u) {
      const content = a.call
        ? [{ type: 'tool_use', id: id('toolu'), name: a.call.name, input: a.call.input }]
        : [{ type: 'text', text: a.refuse ?? a.text }];
      return {
        id: id('msg'),
        type: 'message',
        role: 'assistant',
        model,
        content,
        stop_sequence: null,
        stop_reason: a.call ? 'tool_use' : a.refuse !== undefined ? 'refusal' : 'end_turn',
        usage: {
          input_tokens: u.input_tokens,
          output_tokens: u.output_tokens,
          cache_creation_input_tokens: u.cache_write_tokens ?? 0,
          cache_read_input_tokens: u.cached_tokens ?? 0,
        },
      };
    },
    *stream(a, model, u) {
      const m = this.whole(a, model, u),
        [block] = m.content;
      const ev = (type, data) => [type, { type, ...data }];
      yield ev('message_start', {
        message: { ...m, content: [], stop_reason: null, usage: { ...m.usage, output_tokens: 1 } },
      });
      yield ev('content_block_start', {
        index: 0,
        content_block: a.call ? { ...block, input: {} } : { type: 'text', text: '' },
      });
      yield ev('ping', {});
      for (const c of chunks(a.call ? JSON.stringify(block.input) : block.text))
        yield ev('content_block_delta', {
          index: 0,
          delta: a.call
            ? { type: 'input_json_delta', partial_json: c }
            : { type: 'text_delta', text: c },
        });
      yield ev('content_block_stop', { index: 0 });
      yield ev('message_delta', {
        delta: { stop_reason: m.stop_reason, stop_sequence: null },
        usage: m.usage,
      });
      yield ev('message_stop', {});
    },
  },
  chat: {
    call: (c) => ({
      id: id('call'),
      ...(c.kind === 'custom'
        ? { type: 'custom', custom: { name: c.name, input: Object.values(c.input)[0] } }
        : { type: 'function', function: { name: c.name, arguments: JSON.stringify(c.input) } }),
    }),
    usage: (u) => ({
      prompt_tokens: u.input_tokens,
      completion_tokens: u.output_tokens,
      total_tokens: u.input_tokens + u.output_tokens,
      prompt_tokens_details: { cached_tokens: u.cached_tokens ?? 0 },
    }),
    whole(a, model, u) {
      return {
        id: id('chatcmpl'),
        object: 'chat.completion',
        created: now(),
        model,
        usage: this.usage(u),
        choices: [
          {
            index: 0,
            finish_reason: a.call
              ? 'tool_calls'
              : a.refuse !== undefined
                ? 'content_filter'
                : 'stop',
            message: {
              role: 'assistant',
              content: a.call ? null : (a.refuse ?? a.text),
              ...(a.refuse !== undefined && { refusal: a.refuse }),
              ...(a.call && { tool_calls: [this.call(a.call)] }),
            },
          },
        ],
      };
    },
    *stream(a, model, u) {
      const m = this.whole(a, model, u),
        [choice] = m.choices,
        call = choice.message.tool_calls?.[0];
      const ev = (delta, finish_reason = null) => [
        undefined,
        {
          id: m.id,
          object: 'chat.completion.chunk',
          created: m.created,
          model,
          choices: [{ index: 0, delta, finish_reason }],
        },
      ];
      yield ev({ role: 'assistant', content: call ? null : '' });
      if (call) {
        const arg = call.type === 'custom' ? 'input' : 'arguments',
          body = call[call.type];
        yield ev({ tool_calls: [{ index: 0, ...call, [call.type]: { ...body, [arg]: '' } }] });
        for (const c of chunks(body[arg]))
          yield ev({ tool_calls: [{ index: 0, [call.type]: { [arg]: c } }] });
      } else for (const c of chunks(choice.message.content)) yield ev({ content: c });
      yield ev({}, choice.finish_reason);
      yield [
        undefined,
        {
          id: m.id,
          object: 'chat.completion.chunk',
          created: m.created,
          model,
          choices: [],
          usage: m.usage,
        },
      ];
      yield [undefined, '[DONE]'];
    },
  },
  responses: {
    item(a) {
      const k = a.call?.kind;
      if (k === 'custom')
        return {
          type: 'custom_tool_call',
          id: id('ctc'),
          call_id: id('call'),
          status: 'completed',
          name: a.call.name,
          ...(a.call.namespace && { namespace: a.call.namespace }),
          input: Object.values(a.call.input)[0],
        };
      if (k === 'local_shell')
        return {
          type: 'local_shell_call',
          id: id('lsc'),
          call_id: id('call'),
          status: 'completed',
          action: { type: 'exec', ...a.call.input },
        };
      if (a.call)
        return {
          type: 'function_call',
          id: id('fc'),
          call_id: id('call'),
          status: 'completed',
          name: a.call.name,
          ...(a.call.namespace && { namespace: a.call.namespace }),
          arguments: JSON.stringify(a.call.input),
        };
      return {
        type: 'message',
        id: id('msg'),
        role: 'assistant',
        status: 'completed',
        content: [
          a.refuse !== undefined
            ? { type: 'refusal', refusal: a.refuse }
            : { type: 'output_text', text: a.text, annotations: [] },
        ],
      };
    },
    whole(a, model, u) {
      return {
        id: id('resp'),
        object: 'response',
        created_at: now(),
        status: 'completed',
        model,
        error: null,
        incomplete_details: null,
        output: [this.item(a)],
        usage: {
          input_tokens: u.input_tokens,
          input_tokens_details: { cached_tokens: u.cached_tokens ?? 0 },
          output_tokens: u.output_tokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: u.input_tokens + u.output_tokens,
        },
      };
    },
    *stream(a, model, u) {
      const m = this.whole(a, model, u),
        [item] = m.output,
        part = item.content?.[0];
      let n = 0;
      const ev = (type, data) => [type, { type, sequence_number: n++, ...data }];
      const at = { output_index: 0, item_id: item.id };
      const open = { ...m, status: 'in_progress', output: [], usage: null };
      yield ev('response.created', { response: open });
      yield ev('response.in_progress', { response: open });
      yield ev('response.output_item.added', {
        output_index: 0,
        item: {
          ...item,
          status: 'in_progress',
          ...(part && { content: [] }),
          ...(item.arguments && { arguments: '' }),
          ...(item.input && { input: '' }),
        },
      });
      if (part) {
        const kind = part.type === 'refusal' ? 'refusal' : 'output_text',
          text = part.text ?? part.refusal;
        yield ev('response.content_part.added', {
          ...at,
          content_index: 0,
          part: { ...part, [kind === 'refusal' ? 'refusal' : 'text']: '' },
        });
        for (const delta of chunks(text))
          yield ev(`response.${kind}.delta`, { ...at, content_index: 0, delta });
        yield ev(`response.${kind}.done`, {
          ...at,
          content_index: 0,
          [kind === 'refusal' ? 'refusal' : 'text']: text,
        });
        yield ev('response.content_part.done', { ...at, content_index: 0, part });
      } else if (item.arguments) {
        for (const delta of chunks(item.arguments))
          yield ev('response.function_call_arguments.delta', { ...at, delta });
        yield ev('response.function_call_arguments.done', { ...at, arguments: item.arguments });
      } else if (item.input) {
        for (const delta of chunks(item.input))
          yield ev('response.custom_tool_call_input.delta', { ...at, delta });
        yield ev('response.custom_tool_call_input.done', { ...at, input: item.input });
      }
      yield ev('response.output_item.done', { output_index: 0, item });
      yield ev('response.completed', { response: m });
    },
  },
  gemini: {
    part(parts, finishReason, model, u) {
      return {
        candidates: [
          { index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) },
        ],
        usageMetadata: {
          promptTokenCount: u.input_tokens,
          candidatesTokenCount: u.output_tokens,
          totalTokenCount: u.input_tokens + u.output_tokens,
          cachedContentTokenCount: u.cached_tokens ?? 0,
        },
        modelVersion: model,
        responseId: id('resp'),
      };
    },
    whole(a, model, u) {
      if (a.call)
        return this.part(
          [{ functionCall: { id: id('call'), name: a.call.name, args: a.call.input } }],
          'STOP',
          model,
          u,
        );
      return this.part(
        [{ text: a.refuse ?? a.text }],
        a.refuse !== undefined ? 'SAFETY' : 'STOP',
        model,
        u,
      );
    },
    *stream(a, model, u) {
      if (a.text)
        for (const c of chunks(a.text))
          yield [undefined, this.part([{ text: c }], undefined, model, u)];
      yield [
        undefined,
        a.text ? this.part([{ text: '' }], 'STOP', model, u) : this.whole(a, model, u),
      ];
    },
  },
};

// Error bodies as the real services shape them, unless the scenario gives its own.
const KIND = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
  529: 'overloaded_error',
};
const GRPC = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};
function errorBody(api, e) {
  const message = e.message ?? `fake-llm: scripted error ${e.status}`;
  if (api === 'anthropic')
    return {
      type: 'error',
      error: { type: KIND[e.status] ?? 'api_error', message },
      request_id: id('req'),
    };
  if (api === 'gemini')
    return {
      error: {
        code: e.status,
        message,
        status: GRPC[e.status] ?? 'INTERNAL',
        ...(e.retry_after && {
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.RetryInfo',
              retryDelay: `${e.retry_after}s`,
            },
          ],
        }),
      },
    };
  const code =
    {
      401: 'invalid_api_key',
      429: 'rate_limit_exceeded',
      500: 'server_error',
      503: 'server_error',
    }[e.status] ?? null;
  return { error: { message, type: KIND[e.status] ?? 'server_error', param: null, code } };
}

// ---------------------------------------------------------------- server

function record(entry) {
  if (opt.log) fs.appendFileSync(opt.log, JSON.stringify(entry) + '\n');
}
function json(res, status, body, headers = {}) {
  const text = str(body);
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  res.end(text);
}
const sse = ([event, data]) => `${event ? `event: ${event}\n` : ''}data: ${str(data)}\n\n`;

async function handle(req, res) {
  const url = new URL(req.url, 'http://fake');
  const parts = [];
  for await (const c of req) parts.push(c);
  const raw = Buffer.concat(parts);
  const n = ++requests,
    entry = {
      n,
      time: new Date().toISOString(),
      method: req.method,
      path: req.url.replace(/([?&]key=)[^&]*/, '$1***'),
      user_agent: req.headers['user-agent'] ?? '',
      bytes: raw.length,
    };
  const log = (more) => record({ ...entry, ...more });
  if (opt.dump && raw.length)
    fs.writeFileSync(path.join(opt.dump, `${String(n).padStart(5, '0')}.json`), raw);

  const r = route(url);
  if (req.method !== 'POST' || !r.known) {
    if (req.method === 'GET' && /\/models$/.test(url.pathname)) {
      log({ action: 'models' });
      const models = (scenario.models ?? ['fake-model']).map((m) => ({
        id: m,
        type: 'model',
        object: 'model',
        display_name: m,
        name: `models/${m}`,
        created: now(),
        owned_by: 'fake',
      }));
      return json(res, 200, { object: 'list', data: models, models, has_more: false });
    }
    if (url.pathname === '/') {
      log({ action: 'ping' });
      return json(res, 200, {});
    } // some clients probe the base URL
    log({ action: 'not found', status: 404 });
    return json(res, 404, {
      error: {
        message: `fake-llm: nothing at ${req.method} ${url.pathname}`,
        type: 'not_found_error',
      },
    });
  }

  let body;
  try {
    loadScenario();
    body = JSON.parse(raw.toString('utf8') || '{}');
  } catch (e) {
    log({ action: 'bad request', status: 400, error: String(e) });
    return json(res, 400, errorBody(r.api, { status: 400, message: String(e) }));
  }

  const model = r.model ?? body.model ?? 'fake-model',
    stream = r.stream ?? body.stream === true;
  Object.assign(entry, { api: r.api, model, stream });
  if (r.count) {
    const tokens = Math.ceil(raw.length / 4);
    log({ action: 'count tokens' });
    return json(res, 200, { input_tokens: tokens, totalTokens: tokens });
  }

  const asked = READ[r.api](body);
  asked.cwd = workDir(
    [
      textOf(body.system),
      body.instructions,
      textOf(body.systemInstruction?.parts),
      ...asked.talk.map((t) => t.text),
    ].join('\n'),
  );
  const side = asked.tools.length === 0; // a title, summary or check request beside the agent's loop
  const p = plan(asked),
    { rule } = p;
  Object.assign(entry, { tools: asked.tools.length, rule: p.index, turn: p.turn, side });

  const fail = pickError(p, side);
  const step = rule.turns?.[Math.min(p.turn, rule.turns.length - 1)] ?? { text: 'Done.' };
  let answer;
  if (side)
    answer = {
      text: asked.schema ? JSON.stringify(sample(asked.schema)) : (rule.side_text ?? 'ok'),
    };
  else if (step.tool && p.turn < rule.turns.length) {
    const call = toolCall(step, asked);
    answer = call
      ? { call }
      : { text: `fake-llm: this client declares no tool for '${step.tool}'.` };
  } else if (step.refuse !== undefined) answer = { refuse: step.refuse };
  else answer = { text: step.text ?? 'Done.' };

  if (rule.delay_ms) await sleep(rule.delay_ms);
  const action = fail
    ? `error ${fail.status ?? (fail.drop ? `drop ${fail.drop}` : `hang ${fail.hang}`)}`
    : answer.call
      ? `tool ${answer.call.name}`
      : answer.refuse !== undefined
        ? 'refuse'
        : 'text';
  const usage = { input_tokens: 100, output_tokens: 20, ...(step.usage ?? rule.usage) };
  log({
    action,
    prompt: p.prompt.slice(0, 80),
    ...(fail ? fail.status && { status: fail.status } : { usage }),
  });

  if (fail?.drop === 'before') return req.socket.destroy();
  if (fail?.hang && fail.hang !== 'stream') return; // nothing at all, until the client gives up
  if (fail?.status && !(fail.in_stream && stream)) {
    const headers = {
      ...(fail.retry_after !== undefined && { 'retry-after': String(fail.retry_after) }),
      ...fail.headers,
    };
    return json(
      res,
      fail.status,
      fillTimes(fail.body ?? errorBody(r.api, fail)),
      Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, fillTimes(v)])),
    );
  }

  const out = ANSWER[r.api];
  if (!stream && !fail) return json(res, 200, out.whole(answer, model, usage));
  res.writeHead(200, {
    'content-type': stream ? 'text/event-stream' : 'application/json',
    'cache-control': 'no-cache',
  });
  const sent = stream
    ? [...out.stream(answer, model, usage)].map(sse)
    : chunks(str(out.whole(answer, model, usage)));
  const cut = fail ? Math.max(1, Math.floor(sent.length / 2)) : sent.length;
  for (const e of sent.slice(0, cut)) {
    if (res.destroyed) return;
    res.write(e);
    if (rule.chunk_ms) await sleep(rule.chunk_ms);
  }
  if (fail?.in_stream) {
    // an error event after a 200, as overloaded services send it
    const b = errorBody(r.api, fail);
    res.write(
      sse(
        r.api === 'responses'
          ? [
              'response.failed',
              {
                type: 'response.failed',
                response: {
                  id: id('resp'),
                  object: 'response',
                  status: 'failed',
                  error: { code: b.error.code ?? b.error.type, message: b.error.message },
                },
              },
            ]
          : [r.api === 'anthropic' ? 'error' : undefined, fail.body ?? b],
      ),
    );
    return res.end();
  }
  if (fail?.hang) return;
  if (fail?.drop) {
    await sleep(50);
    return req.socket.destroy();
  }
  res.end();
}

if (opt.dump) fs.mkdirSync(opt.dump, { recursive: true });
loadScenario(); // a broken file stops the start
const server = http.createServer((req, res) =>
  handle(req, res).catch((e) => {
    record({
      time: new Date().toISOString(),
      path: req.url,
      action: 'server error',
      error: String(e?.stack ?? e),
    });
    if (!res.headersSent) json(res, 500, { error: { message: String(e), type: 'api_error' } });
    else res.destroy();
  }),
);
server.listen(Number(opt.port), opt.host, () => {
  const { port } = server.address();
  process.stdout.write(
    JSON.stringify({ port, url: `http://${opt.host}:${port}`, pid: process.pid }) + '\n',
  );
});
for (const s of ['SIGTERM', 'SIGINT'])
  process.on(s, () => {
    server.closeAllConnections();
    process.exit(0);
  });
