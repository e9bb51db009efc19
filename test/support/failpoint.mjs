/**
 * Loaded with `node --import` before the command, which knows nothing of it: counts the windows of a run, which are the moments
 * right after each transaction of the ledger is committed, and right before, at and right after each process that it starts
 * (git, the agent, gates, the watcher), and ends the process with SIGKILL in one of them. FAILPOINT_AT is its number; none: no
 * end; FAILPOINT_NAMES, with ` > ` between, are those to come by, and it ends in the last of them. FAILPOINT_LOG is a file that gets a line a window. Neither the option nor the variables reach a child.
 */
import childProcess from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const at = Number(process.env['FAILPOINT_AT'] ?? 0);
const names = (process.env['FAILPOINT_NAMES'] ?? '').split(' > ');
const log = process.env['FAILPOINT_LOG'];
delete process.env['FAILPOINT_AT'];
delete process.env['FAILPOINT_NAMES'];
delete process.env['FAILPOINT_LOG'];

let count = 0;

function pass(moment) {
  count += 1;
  if (log !== undefined) appendFileSync(log, `${count} ${moment}\n`);
  if (moment === names[0]) names.shift();
  if (count === at || names.length === 0) process.kill(process.pid, 'SIGKILL');
}

/** Of git the subcommand, without settings and places. */
function nameOf(file, args) {
  const words = args.filter((arg, index) => arg !== '-c' && args[index - 1] !== '-c');
  const rest =
    file === 'git' ? words.filter((word) => !/^--(?:git-dir|work-tree)=/.test(word)) : [];
  return [basename(file), ...rest.slice(0, 2)].join(' ');
}

const { spawn } = childProcess;
childProcess.spawn = (file, ...more) => {
  const name = nameOf(file, Array.isArray(more[0]) ? more[0] : []);
  pass(`before ${name}`);
  const child = spawn(file, ...more);
  pass(`at the start of ${name}`);
  child.prependListener('exit', () => pass(`after ${name}`));
  return child;
};
syncBuiltinESMExports();

/** Every transaction of the product ends with this word. */
function execThen(exec) {
  return function (sql) {
    const result = exec.call(this, sql);
    if (/\bcommit\s*$/i.test(sql)) pass('after a commit of the ledger or a lock');
    return result;
  };
}

const builtin = process.getBuiltinModule?.('node:sqlite');
if (builtin !== undefined) {
  const { DatabaseSync } = builtin;
  builtin.DatabaseSync = class extends DatabaseSync {};
  builtin.DatabaseSync.prototype.exec = execThen(DatabaseSync.prototype.exec);
}
// The methods of the npm twin can be replaced only all together.
const { DatabaseSync } = await import('@photostructure/sqlite');
const { prototype } = DatabaseSync;
DatabaseSync.prototype = Object.create(prototype, { exec: { value: execThen(prototype.exec) } });
