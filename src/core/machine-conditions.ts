/** What the machine may be to us in the middle of anything (errno(3)): stopped early, resumable (contract, "Exit status"). */

/** No room left. */
export const full: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Something was closed to us: by an attempt (`chmod -R 000 .git`), or by a person. */
export const closed: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** A limit of the machine's (`ulimit -f`, `ulimit -n`), or a disk that is ill. */
export const worn: ReadonlySet<unknown> = new Set(['EFBIG', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM']);
