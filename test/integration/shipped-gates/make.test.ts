import { describe, expect, test } from 'vitest';
import { bareSystem, copyExample, isHere } from '../../support/example-project.ts';

describe('the gate make', () => {
  if (isHere('make', ['--version'])) {
    test('accepts the green example, by its name', async (lease) => {
      const { status, stdout } = await copyExample(lease, 'make', 'green').judgeByName();
      expect([status, stdout]).toEqual([0, expect.stringContaining('✔ make  pass')]);
    });

    test('rejects the red example with what its target said', (lease) => {
      const { status, said, left } = copyExample(lease, 'make', 'red').judge();
      expect([status, left]).toEqual([1, '']);
      expect(said).toContain('[Makefile:3: check] Error 1');
      expect(said).toMatch(/^make: rejected: make check failed$/m);
    });

    test('rejects a project without tests, even where there is a folder test', (lease) => {
      const { status, said } = copyExample(lease, 'make', 'no-tests').judge();
      expect(status).toBe(1);
      expect(said).toContain('neither a target check nor a target test that does anything');
    });

    test.for([
      ['a target without a recipe', '.PHONY: check\ncheck:\n', 'neither a target check'],
      ['a runner that finds nothing', 'check:\n\t@echo "no tests ran in 0.01s"\n', 'no test ran'],
      ['lint that fails', 'lint:\n\tfalse\ncheck:\n\ttrue\n', 'rejected: make lint failed'],
      ['a Makefile that cannot be read', 'check:\nnot a rule\n', 'missing separator'],
    ] as const)('rejects %s', ([, makefile, words], lease) => {
      const project = copyExample(lease, 'make', 'green');
      project.write('Makefile', makefile);
      const { status, said } = project.judge();
      expect([status, said]).toEqual([1, expect.stringContaining(words)]);
    });

    test('rejects a target that was asked for and has nothing to do', (lease) => {
      const project = copyExample(lease, 'make', 'green');
      project.write('Makefile', 'unit: Makefile\n');
      const { status, said } = project.judge({ MAKE_TARGETS: 'unit' });
      expect([status, said]).toEqual([1, expect.stringContaining('make unit does nothing')]);
    });

    test('runs all and lint before check, and says at a time limit what had been said', async (lease) => {
      const project = copyExample(lease, 'make', 'green');
      project.write(
        'Makefile',
        'all lint:\n\t@echo $@ >>../order\ncheck:\n\t@cat ../order; sleep 60\n',
      );
      project.write('.skeleton.yml', 'gates: [{ name: make, timeout: 1s }]\n');
      const { status, stdout } = await project.judgeByName();
      expect(status).toBe(1);
      expect(stdout).toMatch(/ended in the middle of: check\n.*│ all\n.*│ lint\n/);
    });
  }

  test('rejects where make is not installed, with what installs it', (lease) => {
    const project = copyExample(lease, 'make', 'green');
    const { status, said } = project.judge({ PATH: bareSystem(project) });
    expect([status, said]).toEqual([1, expect.stringContaining('apt-get install make')]);
  });
});
