import { existsSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareSystem, copyExample, isHere } from '../../support/example-project.ts';

// The suite has a home of its own; the toolchains lie in that of the user.
const rustup = join(userInfo().homedir, '.rustup');
const env = {
  CARGO_NET_OFFLINE: 'true',
  ...(existsSync(rustup) && process.env['RUSTUP_HOME'] === undefined && { RUSTUP_HOME: rustup }),
};

describe('the gate rust', () => {
  if (isHere('cargo', ['--version'], env)) {
    test('accepts the green example, by its name', async (lease) => {
      const project = copyExample(lease, 'rust', 'green');
      const { status, stdout } = await project.judgeByName(env);
      expect([status, stdout]).toEqual([0, expect.stringContaining('✔ rust  pass')]);
      expect(project.git('status', '--porcelain')).toBe('');
    });

    test('rejects the red example with what the test said', (lease) => {
      const { status, said, left } = copyExample(lease, 'rust', 'red').judge(env);
      expect([status, left]).toEqual([1, '']);
      expect(said).toContain('tests::adds');
      expect(said).toMatch(/^rust: rejected: test failed$/m);
    });

    test('rejects a package without tests; a lock file that was not there does not stay', (lease) => {
      const project = copyExample(lease, 'rust', 'no-tests');
      project.git('rm', '--quiet', 'Cargo.lock');
      const { status, said, left } = project.judge(env);
      expect([status, said]).toEqual([1, expect.stringContaining('rust: rejected: no test ran')]);
      expect(left).toBe('D  Cargo.lock');
    });

    test('rejects tests that are all ignored', (lease) => {
      const project = copyExample(lease, 'rust', 'no-tests');
      project.write('src/lib.rs', '#[test]\n#[ignore]\nfn adds() {}\n');
      const { said } = project.judge({ ...env, RUST_SKIP: 'fmt clippy check' });
      expect(said).toContain('rust: rejected: all 1 tests are ignored');
    });

    const linters = ['fmt', 'clippy'].map((name) => isHere('cargo', [name, '--version'], env));
    if (linters.every(Boolean)) {
      test('rejects what is not formatted, and warnings', (lease) => {
        const project = copyExample(lease, 'rust', 'green');
        project.write('src/lib.rs', 'fn unused( ) {}\n\n#[test]\nfn adds() {}\n');
        const { status, said } = project.judge(env);
        expect(status).toBe(1);
        expect(said).toContain('function `unused` is never used');
        expect(said).toMatch(/^rust: rejected: fmt, clippy failed$/m);
      });
    }

    test('a dependency that cannot be downloaded is no verdict, a wrong lock file is', (lease) => {
      const project = copyExample(lease, 'rust', 'green');
      const manifest = '[package]\nname = "example"\nversion = "0.1.0"\nedition = "2021"\n';
      project.write('Cargo.toml', `${manifest}\n[dependencies]\nmore = "1"\n`);
      rmSync(join(project.top, 'Cargo.lock'));
      project.git('rm', '--quiet', '--cached', 'Cargo.lock');
      const missing = project.judge(env);
      expect([missing.status, missing.said]).toEqual([
        75,
        expect.stringContaining('cannot be downloaded'),
      ]);
      project.git('reset', '--quiet', '--hard');
      project.write('Cargo.toml', manifest.replace('0.1.0', '0.2.0'));
      const wrong = project.judge(env);
      expect([wrong.status, wrong.said]).toEqual([1, expect.stringContaining('--locked')]);
    });
  }

  test('rejects where cargo is not installed, with what installs it', (lease) => {
    const project = copyExample(lease, 'rust', 'green');
    const { status, said } = project.judge({ PATH: bareSystem(project) });
    expect([status, said]).toEqual([1, expect.stringContaining('https://rustup.rs')]);
  });
});
