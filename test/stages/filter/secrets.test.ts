import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mhqaProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { type SecretKind, secretKindSchema } from '../../../schemas/filterMeasures.ts';
import { trajectoryId } from '../../../schemas/trajectory.ts';
import {
  findSecrets,
  maskSecrets,
  passesLuhn,
  replaceSecrets,
  trajectorySecrets,
} from '../../../stages/filter/trajectorySecrets.ts';
import { mhqaSteps, taskOf, trajectoryFrom } from '../../support/traceFixture.ts';

const all = new Set(secretKindSchema.options);
const kindsIn = (text: string) => findSecrets(text, all).map(({ kind }) => kind);
const textsIn = (text: string) => findSecrets(text, all).map(({ start, end }) => text.slice(start, end));

/** Digits with the check digit that makes them a card number. */
const cardNumber = fc
  .tuple(fc.constantFrom('4', '51', '37', '62'), fc.stringMatching(/^\d{13}$/))
  .map(([issuer, rest]) => {
    const digits = `${issuer}${rest}`.slice(0, 15);
    return [...'0123456789'].map((check) => digits + check).find(passesLuhn)!;
  })
  .filter((number) => number !== undefined);

const alphanumeric = (length: number) => fc.stringMatching(new RegExp(`^[A-Za-z0-9]{${length}}$`));
const secrets: Readonly<Record<SecretKind, fc.Arbitrary<string>>> = {
  api_key: fc.oneof(
    alphanumeric(40).map((rest) => `sk-${rest}`),
    fc.stringMatching(/^[A-Z0-9]{16}$/).map((rest) => `AKIA${rest}`),
    alphanumeric(36).map((rest) => `ghp_${rest}`),
    alphanumeric(35).map((rest) => `AIza${rest}`),
  ),
  private_key: alphanumeric(64).map(
    (body) => `-----BEGIN RSA PRIVATE KEY-----\n${body}\n${body}==\n-----END RSA PRIVATE KEY-----`,
  ),
  json_web_token: fc
    .tuple(alphanumeric(20), alphanumeric(30), alphanumeric(43))
    .map(([head, body, signature]) => `eyJ${head}.eyJ${body}.${signature}`),
  email: fc
    .tuple(fc.stringMatching(/^[a-z][a-z0-9]{1,10}$/), fc.stringMatching(/^[a-z]{2,10}$/))
    .map(([name, host]) => `${name}.x+y@mail.${host}.org`),
  phone: fc
    .stringMatching(/^[2-9]\d{9}$/)
    .map((digits) => `+1 (${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`),
  credit_card: cardNumber.map((digits) => digits.replace(/(\d{4})(?=\d)/g, '$1 ')),
};

describe.each(secretKindSchema.options)('%s', (kind) => {
  test('is found between any words, as a whole, and not once it is masked', () => {
    const around = fc.constantFrom('', 'see ', '(', 'call: ', 'line\n', '"');
    fc.assert(
      fc.property(secrets[kind], around, (secret, before) => {
        const text = `${before}${secret}, and so on`;
        expect(findSecrets(text, all)).toEqual([
          { kind, start: before.length, end: before.length + secret.length },
        ]);
        const masked = replaceSecrets(text, all, (_, found) => `[${found}]`);
        expect(masked).toBe(`${before}[${kind}], and so on`);
        expect(kindsIn(masked)).toEqual([]);
        expect(findSecrets(text, new Set(secretKindSchema.options.filter((one) => one !== kind)))).toEqual(
          [],
        );
      }),
    );
  });
});

test.each([
  'The 1998 season had 4111 1111 goals in 1234567890123 minutes.',
  'ISBN 978-3-16-148410-0, DOI 10.1000/182, 2024-01-02, 192.168.10.255, +5 degrees',
  'population 1,234,567,890 in 1990-2000; 3.14159265358979',
  'task-skills sk-short @mention user@localhost a@b',
  '123-456-78901 and 12345-678-9012',
  '4111111111111112',
])('ordinary text holds none: %j', (text) => {
  expect(textsIn(text)).toEqual([]);
});

test('a wrong check digit is no card', () => {
  fc.assert(
    fc.property(cardNumber, fc.integer({ min: 1, max: 9 }), (number, off) => {
      const last = (Number(number.at(-1)) + off) % 10;
      expect(passesLuhn(number)).toBe(true);
      expect(passesLuhn(number.slice(0, -1) + last)).toBe(false);
    }),
  );
});

test('hostile text is read to its end', () => {
  const hostile = [
    'a.'.repeat(400_000),
    `${'a'.repeat(63)}@`.repeat(10_000),
    `a@${'b.'.repeat(300_000)}`,
    '-----BEGIN PRIVATE KEY-----'.repeat(20_000),
    `-----BEGIN PRIVATE KEY-----${'A'.repeat(500_000)}`,
    'eyJ'.repeat(200_000),
    '-eyJ'.repeat(200_000),
    '+1'.repeat(300_000),
    '1 '.repeat(400_000),
    '1'.repeat(800_000),
    `+${'1 '.repeat(300_000)}x`,
    'sk-'.repeat(300_000),
    'x@y.zz '.repeat(100_000),
  ];
  for (const text of hostile) expect(Array.isArray(findSecrets(text, all))).toBe(true);
  expect(findSecrets(hostile.at(-1)!, all)).toHaveLength(100_000);
});

describe('a trajectory', () => {
  const mail = 'grace@mail.example.org';
  const shown = (observation: string, answer = 'she', given = {}) => {
    const trajectory = trajectoryFrom(taskOf('mhqa', given), mhqaSteps(['a', 'b', 'c'], answer));
    const at = trajectory.segments.findIndex(({ origin }) => origin === 'environment');
    const segment = trajectory.segments[at]!;
    const text = segment.text.replace('<observation>\n', `<observation>\n${observation} `);
    return { ...trajectory, segments: trajectory.segments.with(at, { ...segment, text }) };
  };

  test('is masked wherever the secret stands, and has the id of what it says then', () => {
    const trajectory = shown(`write to ${mail}`);
    const plan = trajectory.segments.findIndex(({ tag }) => tag === 'plan');
    const segments = trajectory.segments.map((segment, at) =>
      at === plan ? { ...segment, text: segment.text.replace('</plan>', ` ask ${mail}</plan>`) } : segment,
    );
    const repeating = { ...trajectory, segments };
    const found = trajectorySecrets(repeating, mhqaProfile, all);
    expect([...found]).toEqual([[mail, 'email']]);
    const masked = maskSecrets(repeating, found);
    expect(JSON.stringify(masked)).not.toContain(mail);
    expect(masked.segments[plan]!.text).toContain('ask [email]</plan>');
    expect(masked.id).toBe(trajectoryId(masked));
    expect(masked.id).not.toBe(trajectoryId(repeating));
    expect(trajectorySecrets(masked, mhqaProfile, all).size).toBe(0);
  });

  test('what the question or an answer holds is what the task is about', () => {
    const count = (trajectory: ReturnType<typeof shown>) =>
      trajectorySecrets(trajectory, mhqaProfile, all).size;
    expect(count(shown(mail))).toBe(1);
    expect(count(shown(mail, mail))).toBe(0);
    expect(count(shown(mail, 'she', { answers: [mail] }))).toBe(0);
    expect(count(shown(mail, 'she', { question: `Whose is ${mail}?` }))).toBe(0);
  });

  test('only what tools showed is looked at', () => {
    const trajectory = trajectoryFrom(taskOf('mhqa'), mhqaSteps([`find ${mail}`, 'b', 'c'], 'she'));
    expect(trajectorySecrets(trajectory, mhqaProfile, all).size).toBe(0);
  });
});
