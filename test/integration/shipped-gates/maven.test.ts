import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bareSystem, copyExample, isHere } from '../../support/example-project.ts';

/** Where Debian's packages put the plugins that a build needs: nothing is downloaded. */
const debian = '/usr/share/maven-repo';
const needed = [
  ...['compiler', 'resources', 'surefire', 'jar'].map(
    (name) => `${debian}/org/apache/maven/plugins/maven-${name}-plugin`,
  ),
  `${debian}/junit/junit/4.13.2`,
];
const offline = {
  MAVEN_ARGS: `--offline -Dmaven.repo.local=${debian}`,
  // Starts in half the time.
  MAVEN_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
};

function arePackagesHere(): boolean {
  const missing = needed.filter((path) => !existsSync(path));
  if (missing.length > 0) console.warn(`left out: the tests of maven, no ${missing.join(', ')}`);
  return missing.length === 0;
}

describe('the gate maven', () => {
  if (isHere('mvn', ['--version']) && arePackagesHere()) {
    test('accepts the green example, by its name, and does not count what an earlier build left', async (lease) => {
      const project = copyExample(lease, 'maven', 'green');
      const { status, stdout } = await project.judgeByName(offline);
      expect([status, stdout]).toEqual([0, expect.stringContaining('✔ maven  pass')]);
      expect(project.git('status', '--porcelain')).toBe('');
      project.write('src/test/java/example/SumTest.java', 'package example;\n\nclass SumTest {}\n');
      expect(project.judge(offline).said).toContain('maven: rejected: no test ran');
    });

    test('rejects the red example with what the test said', (lease) => {
      const { status, said, left } = copyExample(lease, 'maven', 'red').judge(offline);
      expect([status, left]).toEqual([1, '']);
      expect(said).toContain('SumTest.adds:10 expected:<7> but was:<6>');
      expect(said).toMatch(/^maven: rejected: mvn verify failed, exit 1$/m);
    });

    test('names the line that does not compile, relative to the project', (lease) => {
      const project = copyExample(lease, 'maven', 'red');
      project.write(
        'src/main/java/example/More.java',
        'package example;\n\nclass More { int a = ""; }\n',
      );
      expect(project.judge(offline).said).toMatch(
        /^src\/main\/java\/example\/More\.java:3:\d+: error: incompatible types/m,
      );
    });

    test('cannot judge where a dependency cannot be downloaded', (lease) => {
      const project = copyExample(lease, 'maven', 'no-tests');
      project.write('pom.xml', project.git('show', 'HEAD:pom.xml').replace('4.13.2', '4.0.0'));
      const { status, said } = project.judge(offline);
      expect([status, said]).toEqual([75, expect.stringContaining('cannot be downloaded')]);
    });
  }

  test('rejects where mvn is not installed, with what installs it', (lease) => {
    const project = copyExample(lease, 'maven', 'green');
    const { status, said } = project.judge({ PATH: bareSystem(project) });
    expect([status, said]).toEqual([1, expect.stringContaining('apt-get install maven')]);
  });
});
