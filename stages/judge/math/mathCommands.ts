/** Commands that are one letter, or a set that is known by name. */
export const letterCommand =
  /^\\(?:alpha|beta|gamma|delta|varepsilon|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|rho|sigma|tau|upsilon|varphi|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Sigma|Phi|Psi|Omega|ell|emptyset)$/;

/** Marks that make another letter of a letter. */
export const accent = /^\\(?:hat|vec|bar|overline|tilde|dot)$/;

/** What a function to the power -1 is. */
export const inverses: Readonly<Record<string, string>> = { sin: 'arcsin', cos: 'arccos', tan: 'arctan' };

/** Functions whose argument needs no brackets. */
export const prefixFunctions = new Set(
  ['sin', 'cos', 'tan', 'cot', 'sec', 'csc', 'sinh', 'cosh', 'tanh', 'arcsin', 'arccos', 'arctan'].concat([
    'ln',
    'log',
    'exp',
  ]),
);

/** Whether a command begins an operand, so that standing beside another one it multiplies. */
export function isOperand(command: string): boolean {
  if (!command.startsWith('\\')) return false;
  return (
    prefixFunctions.has(command.slice(1)) ||
    letterCommand.test(command) ||
    accent.test(command) ||
    /^\\(?:frac|sqrt|binom|pi|infty|lvert|lfloor|lceil|begin|mathbb)$/.test(command)
  );
}
