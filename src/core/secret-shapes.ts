/** Keys and tokens of well-known shapes, by who hands them out: those that the shipped gate no-secrets looks for, and more. */
const shapes = [
  'A[KS]IA[0-9A-Z]{16}',
  'gh[oprsu]_[0-9A-Za-z]{36,}',
  'github_pat_[0-9A-Za-z_]{60,}',
  'glpat-[0-9A-Za-z_-]{20,}',
  'sk-(?:ant|proj|or)-[0-9A-Za-z_-]{30,}',
  'AIza[0-9A-Za-z_-]{35}',
  'ya29\\.[0-9A-Za-z_-]{20,}',
  'xox[abeoprs]-[0-9A-Za-z-]{10,}',
  'hooks\\.slack\\.com/services/T[0-9A-Za-z_]+/B[0-9A-Za-z_]+/[0-9A-Za-z]{20,}',
  '[rs]k_live_[0-9A-Za-z]{20,}',
  'SG\\.[0-9A-Za-z_-]{16,}\\.[0-9A-Za-z_-]{32,}',
  'npm_[0-9A-Za-z]{36}',
  'pypi-AgEI[0-9A-Za-z_-]{50,}',
  'hf_[0-9A-Za-z]{30,}',
  'dop_v1_[0-9a-f]{40,}',
  'eyJ[0-9A-Za-z_-]{8,}\\.eyJ[0-9A-Za-z_-]{8,}\\.[0-9A-Za-z_-]{16,}',
  '-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[^-]{1,16000}-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----',
].join('|');

/** A pattern of its own, as it keeps where it is; flagged `g`. */
export function shapePattern(): RegExp {
  return new RegExp(shapes, 'g');
}
