/**
 * Splits checks: one per `result = ...` / `assert ...` group, each with the text before the first group. Other text
 * is one check.
 */
export function splitChecks(text: string): string[] {
  // The leading line feed gives a text that starts with a group an empty part before it.
  const [before = '', ...groups] = `\n${text}`.split(/^(?=result\s*=)/m);
  const regular = groups.length > 0 && groups.every((group) => group.match(/^assert\b/gm)?.length === 1);
  if (!regular) return text.trim() === '' ? [] : [text.trim()];
  const setUp = before.trim() === '' ? '' : `${before.trim()}\n`;
  return groups.map((group) => `${setUp}${group.trim()}`);
}

/**
 * A check that calls a function, or the method of `Solution` where the program has that class, with JSON arguments, one a
 * line, and compares what it returns with JSON: LiveCodeBench's rule (`testing_util.py`, `grade_call_based`), by which a
 * tuple is as good as a list. Python reads the JSON, so that no number loses digits on the way. By APPS's own rule
 * (`testing_util.py`, `isListed`) what is expected may also be the first item of a list.
 */
export function jsonCallCheck(name: string, args: string, expected: string, isListed: boolean): string {
  const loads = '__import__("json").loads';
  const callee = `(Solution().${name} if "Solution" in globals() else ${name})`;
  const wanted = `${loads}(${JSON.stringify(expected)})`;
  const listed = isListed && expected.startsWith('[') && expected !== '[]';
  return [
    `result = ${callee}(*map(${loads}, ${JSON.stringify(args)}.split("\\n")))`,
    `assert (list(result) if isinstance(result, tuple) else result) ${listed ? `in (${wanted}, ${wanted}[0])` : `== ${wanted}`}`,
  ].join('\n');
}

/**
 * The checks in the text of a `check(candidate)` function (LeetCodeDataset, Skywork-OR1, HumanEval): its first line with
 * one of its assertions at a time, then `check(entry)`. An assertion about one call becomes the call and what is asserted
 * of its result, so that the two can be run apart. A body of anything but assertions is one check. What stands before the
 * function goes before each check, but for HumanEval's `METADATA`. Undefined for a text that has no such function.
 */
export function candidateChecks(testCode: string, entry: string): readonly string[] | undefined {
  const start = testCode.search(/^def check\(/m);
  const code = start < 0 ? '' : testCode.slice(start);
  const before = testCode
    .slice(0, Math.max(0, start))
    .replace(/^METADATA = \{[^}]*\}$/m, '')
    .trim();
  const setUp = before === '' ? '' : `${before}\n`;
  const [head, ...body] = code.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line));
  const parameter = /^def check\((\w+)\):\s*$/.exec(head ?? '')?.[1];
  if (parameter === undefined || body.length === 0 || body.some((line) => !/^\s/.test(line)))
    return undefined;
  if (!body.every((line) => /^\s+assert\b/.test(line))) return [`${setUp}${code.trimEnd()}\ncheck(${entry})`];
  return body.map(
    (line) => setUp + (resultCheck(line.trim(), parameter, entry) ?? `${head}\n${line}\ncheck(${entry})`),
  );
}

/**
 * Converts `assert candidate(ARGS) == VALUE` to `result = ENTRY(ARGS)` / `assert result == VALUE`; undefined for
 * other assertions.
 */
function resultCheck(assertion: string, parameter: string, entry: string): string | undefined {
  const opening = `assert ${parameter}(`;
  if (!assertion.startsWith(opening)) return undefined;
  const end = closingBracket(assertion, opening.length);
  if (end === undefined) return undefined;
  const [args, rest] = [assertion.slice(opening.length, end), assertion.slice(end + 1)];
  if (!/^\s*==/.test(rest) || new RegExp(`\\b(?:${parameter}|result)\\b`).test(args + rest)) return undefined;
  return `result = ${entry}(${args})\nassert result${rest}`;
}

/** Offset of the bracket that closes the one at `from`; undefined for truncated text or multi-line quotes. */
function closingBracket(text: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    else if (`'"`.includes(character)) {
      const end = closingQuote(text, at);
      if (end === undefined) return undefined;
      at = end;
    }
    if (depth === 0) return at;
  }
  return undefined;
}

function closingQuote(text: string, at: number): number | undefined {
  const quote = text[at]!;
  // A prefix changes the meaning of a backslash; three quotes start another kind of string.
  if (text.startsWith(quote.repeat(3), at) || /\w/.test(text[at - 1] ?? '')) return undefined;
  for (let next = at + 1; next < text.length; next++) {
    if (text[next] === '\\') next++;
    else if (text[next] === quote) return next;
  }
  return undefined;
}
