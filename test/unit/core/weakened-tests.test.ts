import { describe, expect, test } from 'vitest';
import { weakenedTests } from '../../../src/core/weakened-tests.ts';

/** Spelt in two: data, and no test of ours is left out or singled out. */
const [skip, only] = ['skip', 'only'];

describe('weakenedTests', () => {
  test.each([
    ['it("a", f)', `it.${skip}("a", f)`, '1 skipped'],
    ['it("a", f)', 'xit("a", f)', '1 removed, 1 skipped'],
    ['test("a", f)', `test.${only}("a", f)`, '1 focused'],
    ['describe("a", f)', 'fdescribe("a", f)', '1 focused'],
    ['def test_a():\n', '@pytest.mark.skip\ndef test_a():\n', '1 skipped'],
    ['def test_a(self):\n', `@unittest.${skip}("no")\ndef test_a(self):\n`, '1 skipped'],
    ['func TestA(t *testing.T) {\n}', 'func TestA(t *testing.T) {\n\tt.Skip("no")\n}', '1 skipped'],
    ['#[test]\nfn a() {}', '#[test]\n#[ignore]\nfn a() {}', '1 skipped'],
    ['@Test void a() {}', '@Disabled @Test void a() {}', '1 skipped'],
    ['it("a", f); it("b", f)', 'it("a", f)', '1 removed'],
    ['#[tokio::test]\nasync fn a() {}', '', '1 removed'],
  ])('%j to %j: %s', (before, now, wanted) => {
    expect(weakenedTests(before, now)).toBe(wanted);
  });

  test('a deleted file is said to be removed', () => {
    expect(weakenedTests('it("a", f)', undefined)).toBe('removed with 1 tests');
    expect(weakenedTests('data', undefined)).toBe('removed');
  });

  test('what is edited, added, or was skipped before is nothing', () => {
    expect(weakenedTests('it("a", f)', 'it("a", g); it("b", g)')).toBeUndefined();
    expect(weakenedTests(`it.${skip}("a", f)`, `it.${skip}("a", g)`)).toBeUndefined();
    expect(weakenedTests(`it.${only}("a", f)`, 'it("a", f)')).toBeUndefined();
  });
});
