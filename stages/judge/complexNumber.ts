/** A complex number; real numbers have `im` 0. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** A real number as a complex one. */
export function real(re: number): Complex {
  return { re, im: 0 };
}

export function add(a: Complex, b: Complex): Complex {
  return { re: a.re + b.re, im: a.im + b.im };
}

export function negate(a: Complex): Complex {
  return { re: 0 - a.re, im: 0 - a.im };
}

export function multiply(a: Complex, b: Complex): Complex {
  return { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re };
}

/** Not finite when `b` is 0. */
export function divide(a: Complex, b: Complex): Complex {
  if (b.im === 0) return { re: a.re / b.re, im: a.im / b.re };
  const size = b.re * b.re + b.im * b.im;
  const { re, im } = multiply(a, { re: b.re, im: 0 - b.im });
  return { re: re / size, im: im / size };
}

/** The principal value; exact for whole powers of real numbers. */
export function power(base: Complex, exponent: Complex): Complex {
  const isReal = base.im === 0 && exponent.im === 0;
  if (isReal && (base.re >= 0 || Number.isInteger(exponent.re))) return real(base.re ** exponent.re);
  const logSize = Math.log(Math.hypot(base.re, base.im));
  const angle = Math.atan2(base.im, base.re);
  const size = Math.exp(exponent.re * logSize - exponent.im * angle);
  const turn = exponent.im * logSize + exponent.re * angle;
  return { re: size * Math.cos(turn), im: size * Math.sin(turn) };
}

/** The principal square root. */
export function squareRoot(a: Complex): Complex {
  if (a.im !== 0) return power(a, real(0.5));
  return a.re >= 0 ? real(Math.sqrt(a.re)) : { re: 0, im: Math.sqrt(0 - a.re) };
}
