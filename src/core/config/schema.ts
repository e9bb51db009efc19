import { agentKeys, gateKeys, setupKeys, type MapKey } from './gate-keys.ts';
import { configKeys, type Place, type ValueType } from './keys.ts';

type Schema = Readonly<Record<string, unknown>>;

/** JSON Schema (draft-07, which editors know): the root is a plan's front matter, `definitions` has the other two files. */
export function configSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Front matter of PLAN.md',
    ...mapOf(keysAt('plan')),
    definitions: {
      project: { title: '.skeleton.yml', ...mapOf(keysAt('project')) },
      user: { title: "The user's own config.yml", ...mapOf(keysAt('user')) },
    },
  };
}

function keysAt(place: Place): readonly MapKey[] {
  return configKeys.filter(({ places }) => places.includes(place));
}

function mapOf(keys: readonly MapKey[]): Schema {
  const properties = keys.map(({ name, type, doc }) => [
    name,
    { description: doc, ...schemaOf(type) },
  ]);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties) as Schema,
  };
}

const text: Schema = { type: 'string', minLength: 1 };

function schemaOf(type: ValueType): Schema {
  switch (type.kind) {
    case 'boolean':
      return { type: 'boolean' };
    case 'count':
      return { type: 'integer', minimum: type.least, maximum: type.most };
    case 'choice':
      return { enum: type.of };
    case 'duration':
      return { type: 'string', pattern: '^\\s*(\\d+(\\.\\d+)? ?(ms|[smhd]|MS|[SMHD]) ?)+\\s*$' };
    case 'size':
      return {
        anyOf: [
          { type: 'integer', minimum: 1 },
          { type: 'string', pattern: '^\\d' },
        ],
      };
    case 'globs':
    case 'commands':
      return oneOrMore(text);
    case 'line':
    case 'command':
    case 'path':
      return text;
    case 'agent':
      return { anyOf: [text, { ...mapOf(agentKeys), required: ['command'] }] };
    case 'setup':
      return { anyOf: [text, { ...mapOf(setupKeys), required: ['run'] }] };
    case 'gates':
      return oneOrMore({ anyOf: [text, { ...mapOf(gateKeys), ...nameOrRun }] });
  }
}

const nameOrRun: Schema = { anyOf: [{ required: ['name'] }, { required: ['run'] }] };

function oneOrMore(item: Schema): Schema {
  return { anyOf: [item, { type: 'array', items: item }] };
}
