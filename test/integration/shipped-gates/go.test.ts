import { describe, expect, test } from 'vitest';
import { bareSystem, copyExample, isHere } from '../../support/example-project.ts';

describe('the gate go', () => {
  if (isHere('go', ['version'])) {
    test('accepts the green example, by its name, and leaves no program behind', async (lease) => {
      const project = copyExample(lease, 'go', 'green');
      const { status, stdout } = await project.judgeByName();
      expect([status, stdout]).toEqual([0, expect.stringContaining('✔ go  pass')]);
      expect(project.git('status', '--porcelain')).toBe('');
    });

    test('rejects the red example with the line of the test, not with what passed', (lease) => {
      const project = copyExample(lease, 'go', 'red');
      project.write(
        'more_test.go',
        'package main\n\nimport "testing"\n\nfunc TestMore(*testing.T) {}\n',
      );
      const { status, said } = project.judge();
      expect(status).toBe(1);
      expect(said).toContain('main_test.go:7: the sum is 6, not 7');
      expect(said).not.toContain('TestMore');
      expect(said).toMatch(/^go: rejected: test failed$/m);
    });

    test('rejects a module without tests, and one whose tests are all skipped', (lease) => {
      const project = copyExample(lease, 'go', 'no-tests');
      expect(project.judge()).toMatchObject({
        status: 1,
        said: expect.stringMatching(/\[no test files\]\ngo: rejected: no test ran/) as string,
      });
      project.write(
        'main_test.go',
        'package main\n\nimport "testing"\n\nfunc TestSum(t *testing.T) { t.Skip("later") }\n',
      );
      expect(project.judge().said).toContain('go: rejected: all 1 tests are skipped');
    });

    test('rejects what does not build, what is not formatted and what vet finds', (lease) => {
      const project = copyExample(lease, 'go', 'green');
      project.write(
        'more.go',
        'package main\n\nimport "fmt"\n\nfunc f()  { fmt.Printf("%d", "1") }\n',
      );
      const { status, said } = project.judge();
      expect(status).toBe(1);
      expect(said).toContain('more.go:1:1: error: not formatted: gofmt -w more.go');
      expect(said).toMatch(/more\.go:5:\d+: fmt\.Printf format %d/);
      expect(said).toMatch(/^go: rejected: fmt, vet, test failed$/m);
      project.write('more.go', 'package main\n\nfunc f() { missing() }\n');
      expect(project.judge().said).toMatch(/more\.go:3:\d+: undefined: missing\n/);
    });

    test('looks at the format of changed files only, where it is told which', (lease) => {
      const project = copyExample(lease, 'go', 'green');
      project.write('more.go', 'package main\nvar  _ = 1\n');
      const list = project.write('../outside/changed', 'main.go\0gone.go\0');
      expect(project.judge({ SKELETON_CHANGED_FILES: list })).toMatchObject({ status: 0 });
    });

    test('judges each module of a go.work, by what Go says of a test and not by what the test prints', (lease) => {
      const project = copyExample(lease, 'go', 'green');
      const write = (name: string, body: string): void => {
        project.write(`${name}/go.mod`, `module ${name}\n\ngo 1.19\n`);
        const imports = 'import (\n\t"fmt"\n\t"testing"\n)\n';
        const test = `func TestIt(t *testing.T) {\n\tfmt.Println("said")\n${body}}\n`;
        project.write(`${name}/a_test.go`, `package a\n\n${imports}\n${test}`);
      };
      project.git('rm', '--quiet', 'go.mod', 'main.go', 'main_test.go');
      project.write('go.work', 'go 1.19\n\nuse (\n\t./a\n\t./b\n)\n');
      const fake = ['--- PASS: TestOther (0.00s)', '--- PASS: TestIt (0.00s)'];
      write('a', `${fake.map((line) => `\tfmt.Println("${line}")\n`).join('')}\tt.Skip()\n`);
      write('b', '\tt.Skip()\n');
      const env = { GO_SKIP: 'vet' };
      expect(project.judge(env).said).toContain('go: rejected: all 2 tests are skipped');
      write('b', '');
      expect(project.judge(env).said).toContain('go: accepted: 1 tests passed, 1 skipped');
    });

    test('rejects a TestMain that the base does not hold', (lease) => {
      const project = copyExample(lease, 'go', 'green');
      const main = 'package main\n\nimport "testing"\n\nfunc TestMain(*testing.M) {}\n';
      project.write('all_test.go', main);
      const words = 'go: rejected: a new TestMain in all_test.go (';
      expect(project.judge({ SKELETON_BASE: 'HEAD' }).said).toContain(words);
      project.git('add', '--all');
      project.git('commit', '--quiet', '--message=own');
      // So that it ends soon.
      project.write('more.go', 'no package');
      expect(project.judge({ SKELETON_BASE: 'HEAD' }).said).not.toContain(words);
    });

    test('cannot judge where a dependency cannot be downloaded', (lease) => {
      const project = copyExample(lease, 'go', 'green');
      project.write('go.mod', 'module example\n\ngo 1.19\n\nrequire example.invalid/more v1.0.0\n');
      project.write(
        'go.sum',
        'example.invalid/more v1.0.0 h1:x\nexample.invalid/more v1.0.0/go.mod h1:x\n',
      );
      project.write('more.go', 'package main\n\nimport _ "example.invalid/more"\n');
      const { status, said } = project.judge({ GOPROXY: 'off', GOFLAGS: '-mod=mod' });
      expect([status, said]).toEqual([75, expect.stringContaining('cannot be downloaded')]);
    });
  }

  test('rejects where go is not installed, with what installs it', (lease) => {
    const project = copyExample(lease, 'go', 'green');
    const { status, said } = project.judge({ PATH: bareSystem(project) });
    expect([status, said]).toEqual([1, expect.stringContaining('go.dev/doc/install')]);
  });
});
