/** Where a key may stand: the plan's front matter, `.skeleton.yml`, the user's `config.yml`, a task's fields. */
export type Place = 'plan' | 'project' | 'user' | 'task';

export type ScalarType =
  | {
      readonly kind:
        | 'boolean'
        | 'duration'
        | 'size'
        | 'line'
        | 'name'
        | 'command'
        | 'path'
        | 'url'
        | 'webhook'
        | 'ledger'
        | 'usd'
        | 'tokens';
    }
  | { readonly kind: 'count'; readonly least: number; readonly most: number }
  | { readonly kind: 'choice'; readonly of: readonly string[] };

export type ValueType =
  | ScalarType
  | {
      readonly kind:
        | 'globs'
        | 'commands'
        | 'lines'
        | 'agent'
        | 'gates'
        | 'setup'
        | 'share'
        | 'budget'
        | 'env'
        | 'notify'
        | 'stages';
    }
  | { readonly kind: 'choices'; readonly of: readonly string[] };

export interface ConfigKey {
  /** As it is written; its property has the same name in camel case. */
  readonly name: string;
  readonly type: ValueType;
  readonly places: readonly Place[];
  /** In the user's own file it is the most that a repository may ask for; only a flag widens it. */
  readonly ceiling?: true;
  /** Why it stands in no other place, where that has to be said. */
  readonly why?: string;
  readonly doc: string;
}
