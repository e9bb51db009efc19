import { describe, expect, it } from 'vitest';
import { openMask } from '../../../src/core/mask.ts';
import { secretsIn } from '../../../src/core/secrets.ts';

const names = (env: Record<string, string>): readonly string[] =>
  secretsIn(env).map(({ name }) => name);

describe('secretsIn', () => {
  it.each([
    ['OPENAI_API_KEY', 'abc12345-x'],
    ['GH_TOKEN', 'a1b2c3d4e5'],
    ['DB_PASSWORD', 'tr0ub4dor&3'],
    ['aws_secret_access_key', 'wJalrXUtnFEMI/K7MDENG'],
    ['NPM_AUTHTOKEN', '0123-4567-89ab'],
    ['PGPASSWORD', 'tr0ub4dor&3'],
    ['MYSQL_PWD', 'tr0ub4dor&3'],
    ['API_KEYS', 'a1b2c3d4e5f6'],
    ['TOKENS', 'a1b2c3d4e5f6'],
    ['TOKEN1', 'a1b2c3d4e5f6'],
    ['MY_JWT', 'a1b2c3d4e5f6'],
    ['CHAT_WEBHOOK_URL', 'https://host/api/42/a1B2c3D4e5F6g7H8'],
    ['WEBHOOK', 'https://host/api/42/a1B2c3D4e5F6g7H8'],
    ['clientSecret', 'a1b2c3d4e5f6'],
    ['MYSECRET', 'a1b2c3d4e5f6'],
    ['OPENAI_APIKEY', 'a1b2c3d4e5f6'],
    ['S3_SECRET', '/Xk3jH8aPq0Zs5Lw9Rt2Vb7Nm4Ky6Uc1De8Fg3Hi'],
    ['S3_SECRET', '/Xk3jH8aPq/0Zs5Lw9Rt2Vb7Nm4Ky6/Uc1De8Fg3Hi+='],
    ['MAIL_PASSWORD', 'qkzjwvbhtmnprsdf'],
    ['MAIL_PASSWORD', 'abcd efgh ijkl mnop'],
    ['MAIL_PASSWORD', 'kQzJxPwLvBtR'],
    ['HEX_SECRET', 'deadbeefcafebabe'],
    ['UUID_KEY', '5f0c1d7e-8a3b-4c2d-9e1f-0a1b2c3d4e5f'],
    ['PLAIN', 'https://a1b2c3d4e5f6@host/x'],
    ['TOKEN_URL', 'https://me:a1b2c3d4e5f6@host/x'],
    ['PLAIN', `ghp_${'a1'.repeat(18)}`],
    ['PLAIN', `eyJ${'hbGciOi1'.repeat(2)}.eyJ${'zdWIiOi1'.repeat(2)}.${'x7Kq'.repeat(6)}`],
    ['PLAIN', `dop_v1_${'0a'.repeat(32)}`],
    ['PLAIN', `ya29.${'a0Af'.repeat(8)}`],
  ])('takes %s for one', (name, value) => {
    expect(names({ [name]: value })).toEqual([name]);
  });

  it.each([
    ['GIT_AUTHOR_NAME', 'Some One 12345'],
    ['SSH_AUTH_SOCK', '/run/user/1000/ssh-agent.sock'],
    ['API_KEY', 'short1'],
    ['AUTH', 'disabled please'],
    ['MAX_TOKEN', '20000000'],
    ['HOME', 'a1b2c3d4e5f6'],
    ['PWD', "/tmp/a user's folder a1b2c3/x"],
    ['SKELETON_TOKEN', 'a1b2c3d4e5f6'],
    ['KEYBOARD', 'a1b2c3d4e5f6'],
    ['MONKEY', 'a1b2c3d4e5f6'],
    ['TOKENIZERS', 'a1b2c3d4e5f6'],
    ['TOKEN_URL', 'https://auth.example.com/oauth2/token9'],
    ['API_KEY_FILE', '/home/me/keys/a1b2c3d4e5f6'],
    ['KEY_ID', 'a1b2c3d4e5f6'],
    ['APP_SECRET', 'production1'],
    ['X_PASSWORD', 'password123'],
    ['PRIMARY_KEY', 'userId123'],
    ['S3_KEY', 'my-bucket-name2'],
    ['CACHE_KEY', 'node-20-linux-x64'],
    ['K_TOKEN', 'utf-8-encoding'],
    ['FOO_KEY', '2026-11-29'],
    ['BAR_KEY', 'v1.2.3-beta4'],
    ['QUX_SECRET', 'example.com:8080'],
    ['HOST_KEY', '192.168.100.200'],
    ['HOST_KEY', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ me@host'],
    ['LOGO_KEY', 'keys/id_rsa9.pub'],
    ['NPM_TOKEN', '00000000-0000-0000-0000-000000000000'],
    ['GPG_KEY', 'A035C8C19219BA821ECEA86B64E628F8D684696D'],
    ['COLOR_KEY', '#ff00aa11'],
    ['SORT_KEY', 'created_at'],
    ['DATABASE', 'postgres://user:password1@localhost/db'],
  ])('leaves %s alone', (name, value) => {
    expect(names({ [name]: value })).toEqual([]);
  });

  it('takes the password out of an address, whatever the variable is called', () => {
    const [secret] = secretsIn({ DATABASE: 'postgres://me:p4ssw0rd-x@host/db' });
    expect(secret).toEqual({ name: 'DATABASE', value: 'p4ssw0rd-x' });
  });

  it.each([
    ['QUOTED_TOKEN', '"qT9kQ7x3pL8w"', 'qT9kQ7x3pL8w'],
    ['BEARER_TOKEN', 'Bearer bR9kQ7x3pL8w', 'bR9kQ7x3pL8w'],
    ['BASIC_AUTH', 'user:bA9kQ7x3pL8w', 'bA9kQ7x3pL8w'],
    ['DB', 'postgres://bob:hX7q%2Fm29zzK@db/x', 'hX7q/m29zzK'],
    ['KEYS', 'lA9kQ7x3pL8wZ2mN,lB9kQ7x3pL8wZ2mN', 'lB9kQ7x3pL8wZ2mN'],
    ['CREDENTIALS', '{"id":{"key":"pk9kQ7x3pL8w"}}', 'pk9kQ7x3pL8w'],
    ['CREDENTIALS', '{"key":"-----BEGIN K-----\\nMIIEvQ1BADANBgkqhk\\n"}', 'MIIEvQ1BADANBgkqhk'],
    ['PEM_KEY', '-----BEGIN K-----\\nMIIEvQ1BADANBgkqhk\\n', 'MIIEvQ1BADANBgkqhk'],
  ])('takes what is in %s %s for one', (name, value, part) => {
    expect(secretsIn({ [name]: value }).map((secret) => secret.value)).toContain(part);
  });

  it('looks for a long one in pieces, which are all of it', () => {
    const value = Array.from({ length: 9000 }, (_, at) => `${at % 7}${at.toString(36)}Zq`).join('');
    const parts = secretsIn({ BIG_SECRET: value }).map((secret) => secret.value);
    expect(parts.join('')).toBe(value);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(4096);
    expect(openMask(secretsIn({ BIG_SECRET: value })).text(value)).not.toMatch(/Zq/);
  });

  it('takes each line of a key for one', () => {
    const key = '-----BEGIN X-----\nMIIEowIBAAKCAQEA12345\nshort\n-----END X-----';
    const values = secretsIn({ SIGNING_KEY: key }).map(({ value }) => value);
    expect(values).toContain('MIIEowIBAAKCAQEA12345');
    expect(values).not.toContain('short');
  });
});
