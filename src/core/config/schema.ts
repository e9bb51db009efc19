import {
  agentKeys,
  budgetKeys,
  envKeys,
  gateKeys,
  notifyKeys,
  setupKeys,
  shareKeys,
  stageKeys,
  type MapKey,
} from './map-keys.ts';
import { configKeys, type Place, type ScalarType, type ValueType } from './keys.ts';

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
    case 'globs':
    case 'commands':
    case 'lines':
      return oneOrMore(text);
    case 'agent':
      return { anyOf: [text, { ...mapOf(agentKeys), ...commandOrApi }] };
    case 'setup':
      return { anyOf: [text, { ...mapOf(setupKeys), required: ['run'] }] };
    case 'share':
      return oneOrMore({ anyOf: [text, { ...mapOf(shareKeys), required: ['path'] }] });
    case 'gates':
      return oneOrMore({ anyOf: [text, { ...mapOf(gateKeys), ...nameOrRun }] });
    case 'budget':
      return { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, text, mapOf(budgetKeys)] };
    case 'notify':
      return oneOrMore({ anyOf: [text, { ...mapOf(notifyKeys), ...commandOrWebhook }] });
    case 'stages':
      return oneOrMore({ anyOf: [text, { ...mapOf(stageKeys), required: ['name'] }] });
    case 'choices':
      return oneOrMore({ enum: type.of });
    case 'env':
      return mapOf(envKeys);
    default:
      return scalarSchema(type);
  }
}

function scalarSchema(type: ScalarType): Schema {
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
    case 'usd':
      return { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, text] };
    case 'tokens':
      return { anyOf: [{ type: 'integer', minimum: 1 }, text] };
    case 'webhook':
      return { type: 'string', pattern: '^([Hh][Tt][Tt][Pp][Ss]?://|\\$)' };
    case 'ledger':
      return {
        type: 'string',
        pattern: '^([Pp][Oo][Ss][Tt][Gg][Rr][Ee][Ss]([Qq][Ll])?://|local$)',
      };
    case 'url':
      return { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' };
    case 'line':
    case 'name':
    case 'command':
    case 'path':
      return text;
  }
}

const commandOrApi: Schema = { oneOf: [{ required: ['command'] }, { required: ['api'] }] };
const commandOrWebhook: Schema = { oneOf: [{ required: ['command'] }, { required: ['webhook'] }] };
const nameOrRun: Schema = { anyOf: [{ required: ['name'] }, { required: ['run'] }] };

function oneOrMore(item: Schema): Schema {
  return { anyOf: [item, { type: 'array', items: item }] };
}
