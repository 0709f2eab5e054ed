import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeMath } from '../../stages/judge/math/judgeMath.ts';
import { normaliseLatex } from '../../stages/judge/math/latexText.ts';
import { MAX_STEPS } from '../../stages/judge/math/undecidable.ts';
import { cases } from '../support/cases.ts';
import { mathGolds } from '../support/mathGolds.ts';

const judge = (answer: string, gold: string) => judgeMath(answer, gold, 1e-9).judgement;

describe.each([
  ['math500.parquet', 500],
  ['aime24.parquet', 30],
] as const)('the gold answers of %s', (name, count) => {
  test('are right as they are, and in other spellings', async () => {
    const golds = await mathGolds(name);
    expect(golds).toHaveLength(count);
    for (const gold of golds) {
      const spellings = [
        gold,
        `$${gold}$`,
        ` ${gold}.`,
        gold.replaceAll('\\frac', '\\dfrac'),
        gold.replace(/\\(?:left|right)/g, ''),
      ];
      for (const spelling of spellings)
        expect([spelling, judge(spelling, gold)]).toEqual([spelling, 'correct']);
    }
  });

  test('are wrong when any one number in them is changed', async () => {
    for (const gold of await mathGolds(name)) {
      for (const { 0: digits, index } of gold.matchAll(/\d+/g)) {
        const changed =
          gold.slice(0, index) + String(BigInt(digits) + 1n) + gold.slice(index + digits.length);
        expect([changed, judge(changed, gold)]).toEqual([changed, 'incorrect']);
      }
    }
  });

  test('are normalised once and for all', async () => {
    for (const gold of await mathGolds(name)) {
      expect(normaliseLatex(normaliseLatex(gold))).toBe(normaliseLatex(gold));
    }
  });
});

describe('equal answers', () => {
  test.each([
    ['5 million', '5{,}000{,}000'],
    ['5 m/s', '5 \\text{ m/s}'],
    ['9.8 m/s^2', '9.8'],
    ['15 cm^2', '15\\mbox{ cm}^2'],
    ['15 cm²', '15\\text{ square centimeters}'],
    ['P(X>1) = 0.5', '\\frac12'],
    ['f(2)=5', '5'],
    ['\\$2.5 \\text{ billion}', '2500000000'],
    ['12 apples', '12'],
    ['3/4 cup', '\\frac34'],
    ['7 units', '7 \\text{ cm}'],
    ['25 square units', '25'],
    ['xyz', '\\frac{2xyz}{2}'],
    ['xyz', 'z \\cdot y \\cdot x'],
    ['Twenty-one', '21'],
    ['seven', '7'],
    ['\\sqrt{117}', '3\\sqrt{13}'],
    ['1.8', '1\\frac{4}{5}'],
    ['0.5', '\\frac{1}{2}'],
    ['1/2', '\\frac12'],
    ['25', '025'],
    ['10080', '10,\\!080'],
    ['10{,}080', '10,080'],
    ['Evelyn', '\\text{Evelyn}'],
    ['EAST', '\\text{east}'],
    ['C', '\\text{(C)}'],
    ['(C)', '\\textbf{(C)}'],
    ['90', '90^\\circ'],
    ['90°', '90^{\\circ}'],
    ['90 degrees', '90^\\circ'],
    ['5.4', '5.4 \\text{ cents}'],
    ['50\\%', '50'],
    ['32348', '\\$32,\\!348'],
    ['36 dollars', '\\$36'],
    ['-2,1', '1,-2'],
    ['1 \\text{ and } -2', '1,-2'],
    ['(b+2)(a+5)', '(a+5)(b+2)'],
    ['-1+x-x^2', '-x^2 + x - 1'],
    ['1+\\sqrt{19}, 1-\\sqrt{19}', '1 \\pm \\sqrt{19}'],
    ['\\{-2, 1+\\sqrt5, 1-\\sqrt5\\}', '\\{1\\pm\\sqrt{5},-2\\}'],
    ['[-2,7]', 'x \\in [-2,7]'],
    ['x = 5', '5'],
    ['2x+3', 'y = 2x + 3'],
    ['(9,36)\\cup(0,9)', '(0,9) \\cup (9,36)'],
    ['\\begin{pmatrix}-\\frac13\\\\2/3\\end{pmatrix}', '\\begin{pmatrix} -1/3 \\\\ 2/3 \\end{pmatrix}'],
    ['(3, pi/2)', '\\left( 3, \\frac{\\pi}{2} \\right)'],
    ['sqrt(13)', '\\sqrt{13}'],
    ['-5i+6', '6 - 5i'],
    ['(1+i)^2', '2i'],
    ['\\frac{270}{7}', '\\frac{270}7\\text{ degrees}'],
    ['204_{5}', '204_5'],
    ['\\sqrt[3]{8}', '2'],
    ['2^{10}', '1024'],
    ['5!', '120'],
    ['\\sin^2 x+\\cos^2 x', '1'],
    ['3.14159265358979', '\\pi'],
    ['.0000672', '6.72 \\times 10^{-5}'],
    ['(-\\infty, 0]', '(-∞,0]'],
    ['5', 'x = 5'],
    ['5', '$5$'],
    ['5', '5.'],
    ['0.5', '50\\%'],
    ['50\\%', '0.5'],
    ['\\frac{1}{2}', '1/2'],
    ['\\frac{1}{2}', '0.50'],
    ['2\\sqrt{3}', '\\sqrt{12}'],
    ['\\frac{\\sqrt{3}}{3}', '\\frac{1}{\\sqrt{3}}'],
    ['\\frac{1+\\sqrt{5}}{2}', '\\frac{2}{\\sqrt{5}-1}'],
    ['3+2\\sqrt{2}', '(1+\\sqrt{2})^2'],
    ['\\sqrt{5+2\\sqrt{6}}', '\\sqrt{2}+\\sqrt{3}'],
    ['\\ln 8', '3\\ln 2'],
    ['\\log_2 3', '\\frac{\\ln 3}{\\ln 2}'],
    ['\\log_{10} 100', '2'],
    ['\\frac{x^2-1}{x-1}', 'x+1'],
    ['x^2+2x+1', '(x+1)^2'],
    ['\\sin 2x', '2\\sin x\\cos x'],
    ['\\sin(2x)', '2\\sin(x)\\cos(x)'],
    ['\\cos^2 x', '1-\\sin^2 x'],
    ['\\tan^{-1}(1)', '\\frac{\\pi}{4}'],
    ['\\arctan 1', '\\pi/4'],
    ['e^{i\\pi}', '-1'],
    ['e^{2\\pi i/3}', '-\\frac12+\\frac{\\sqrt3}{2}i'],
    ['i^2', '-1'],
    ['\\frac{1}{i}', '-i'],
    ['(1,2)', '\\left(1,2\\right)'],
    ['(1,2]', '1 < x \\le 2'],
    ['(-\\infty,3)', 'x<3'],
    ['(-\\infty,3)\\cup(3,\\infty)', 'x\\neq 3'],
    ['(-\\infty,3)\\cup(3,\\infty)', '\\mathbb{R}\\setminus\\{3\\}'],
    ['(-\\infty,\\infty)', '\\mathbb{R}'],
    ['\\{1,2,3\\}', '\\{3,2,1\\}'],
    ['\\{1,2,3\\}', '1, 2, 3'],
    ['\\emptyset', '\\varnothing'],
    ['\\emptyset', '\\{\\}'],
    ['\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}', '\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}'],
    ['\\begin{pmatrix}1\\\\2\\end{pmatrix}', '\\langle 1,2\\rangle'],
    ['y=\\frac{1}{x}', 'xy=1'],
    ['x+y=1', 'y=1-x'],
    ['2x+3y=6', 'y=2-\\frac{2}{3}x'],
    ['x^2+y^2=4', '4-x^2-y^2=0'],
    ['(x-1)^2+(y+2)^2=9', 'x^2-2x+y^2+4y-4=0'],
    ['3\\frac{1}{2}', '3.5'],
    ['3 1/2', '3.5'],
    ['1,234,567', '1234567'],
    ['\\$1,234.50', '1234.5'],
    ['10^{-3}', '0.001'],
    ['1.5\\times10^{8}', '150000000'],
    ['1.5e8', '150000000'],
    ['0.\\overline{3}', '\\frac{1}{3}'],
    ['0.1\\overline{6}', '\\frac{1}{6}'],
    ['\\binom{10}{3}', '120'],
    ['|{-7}|', '7'],
    ['\\lceil 2.1\\rceil', '3'],
    ['x>3', '3<x'],
    ['-2x<4', 'x>-2'],
    ['5\\text{ cm}', '0.05\\text{ m}'],
    ['100\\text{ cm}', '1\\text{ m}'],
    ['2\\text{ hours}', '120\\text{ minutes}'],
    ['1011_2', '1011_{2}'],
    ['\\text{A}', 'A'],
    ['\\text{(A)}', '(A)'],
    ['\\text{Yes}', 'yes'],
    ['\\text{no solution}', 'no solution'],
    ['a=1,b=2', 'b=2, a=1'],
    ['x=1\\text{ or }x=2', '1,2'],
    ['x=1\\text{ or }x=2', 'x=2, x=1'],
    ['x = 1, 2', 'x=1,x=2'],
    ['\\frac{\\pi}{3}', '60^\\circ'],
    ['\\sqrt[3]{54}', '3\\sqrt[3]{2}'],
    ['4^{1/2}', '2'],
    ['8^{2/3}', '4'],
    ['2^{-1}', '0.5'],
    ['(-8)^{1/3}', '-2'],
    ['a^{m}a^{n}', 'a^{m+n}'],
    ['n(n+1)/2', '\\frac{n^2+n}{2}'],
    ['f(x)=x^2', 'x^2'],
    ['f(x)=x^2', 'y=x^2'],
    ['f^{-1}(x)=x-1', 'x-1'],
    ['\\frac{d}{2}', '0.5d'],
    ['x_1 + x_2', 'x_2+x_1'],
    ['\\alpha\\beta', '\\beta\\alpha'],
    ['12\\text{ m/s}', '12\\text{ meters per second}'],
    ['-5', '−5'],
    ['√2', '\\sqrt{2}'],
    ['2π', '2\\pi'],
    ['x²', 'x^2'],
    ['x^10', 'x^{10}'],
    ['\\boxed{5}', '5'],
    ['The answer is \\boxed{5}', '5'],
    ['\\dfrac{7}{9}', '\\tfrac79'],
    ['\\mathrm{e}', 'e'],
    ['\\left\\{ 1, 2 \\right\\}', '\\{1,2\\}'],
    ['\\pm 3', '3,-3'],
    ['x=\\pm 3', '3,-3'],
    ['x=\\pm 3', 'x=3,x=-3'],
    ['\\pm\\frac12', '\\frac12, -\\frac12'],
    ['1\\le x\\le 2', '[1,2]'],
    ['x\\in(1,2)\\cup(3,4)', '(1,2)\\cup(3,4)'],
    ['1<x<2\\text{ or }3<x<4', '(1,2)\\cup(3,4)'],
    ['2:3', '\\frac{2}{3}'],
    ['2:3', '4:6'],
    ['k\\pi', '\\pi k'],
    ['\\frac{x}{\\sqrt{x}}', '\\sqrt{x}'],
    ['\\sqrt{x^2}', '|x|'],
    ['\\ln(x^2)', '2\\ln|x|'],
    ['5\\sqrt{2}\\text{ units}', '5\\sqrt2'],
    ['\\frac{3}{4}\\pi', '\\frac{3\\pi}{4}'],
    ['1{,}000', '1000'],
    ['7\\text{ and }8', '7,8'],
    ['\\overline{AB}', 'AB'],
    ['\\angle ABC', 'ABC'],
    ['90^{\\circ}', '90\\text{ degree}'],
    ['\\frac{\\ 3\\ }{4}', '\\frac34'],
    ['\\begin{pmatrix}2&4\\end{pmatrix}', '2\\begin{pmatrix}1&2\\end{pmatrix}'],
    ['\\frac15\\begin{pmatrix}1\\\\-18\\end{pmatrix}', '\\begin{pmatrix}1/5\\\\-18/5\\end{pmatrix}'],
    ['(2,3),(4,5)', '(4,5),(2,3)'],
    ['\\{(2,3),(4,5)\\}', '(2,3),(4,5)'],
    ['\\text{Monday}', 'Monday'],
    ['\\frac{a}{b}c', '\\frac{ac}{b}'],
    ['x^{\\frac{1}{2}}', '\\sqrt{x}'],
    ['\\cosh 0', '1'],
    ['y-2=3(x-1)', 'y=3x-1'],
    ['5 \\, \\text{cm}', '5\\text{cm}'],
    ['5 \\mathrm{~cm}', '5'],
    ['5cm', '5 cm'],
    ['\\text{ 5 cm}', '5'],
    ['\\$5', '500 cents'],
    ['\\frac{5}{3}', '1\\frac{2}{3}'],
    ['\\frac{5}{3}', '1.\\overline{6}'],
    ['2\\sqrt{5}-3', '-3+2\\sqrt5'],
    ['\\frac{-1+\\sqrt{5}}{2}', '\\frac{\\sqrt{5}-1}{2}'],
    ['\\left(\\frac{1}{2}, \\frac{3}{4}\\right)', '(0.5, 0.75)'],
    ['x^2 - 4x + 4', '(x-2)^2'],
    ['\\frac{1}{x+1}', '(x+1)^{-1}'],
    ['\\sqrt{2}\\cdot\\sqrt{3}', '\\sqrt{6}'],
    ['\\log 1000', '3'],
    ['\\sin 30^\\circ', '\\frac{1}{2}'],
    ['\\cos(60^{\\circ})', '0.5'],
    ['\\tan\\frac{\\pi}{4}', '1'],
    ['2^{3x}', '8^x'],
    ['e^{\\ln 5}', '5'],
    ['x \\leq -2 \\text{ or } x \\geq 3', '(-\\infty,-2]\\cup[3,\\infty)'],
    ['x \\in (-\\infty, -2] \\cup [3, \\infty)', 'x\\le -2 or x\\ge 3'],
    ['\\{x \\mid x > 3\\}', '(3,\\infty)'],
    ['\\{x : x > 3\\}', '(3,\\infty)'],
    ['A = \\pi r^2', '\\pi r^2'],
    ['S_n = \\frac{n(n+1)}{2}', '\\frac{n(n+1)}{2}'],
    ['\\text{Both A and B}', 'both A and B'],
    ['A, B', 'B, A'],
    ['\\text{A and C}', 'A, C'],
    ['10\\%', '0.1'],
    ['33\\frac13\\%', '\\frac13'],
    ['0.1\\%', '0.001'],
    ['\\$3.50', '3.5'],
    ['\\$3.50', '350\\text{ cents}'],
    ['\\text{3 hours}', '3'],
    ['3\\text{ hours}', '180\\text{ min}'],
    ['45\\text{ mph}', '45'],
    ['9.8\\text{ m/s}^2', '9.8'],
    ['6.02\\times 10^{23}', '6.02e23'],
    ['\\begin{bmatrix} 1 \\\\ 0 \\end{bmatrix}', '(1,0)'],
    ['(1,2,3)', '1, 2, 3'],
    ['\\mathbf{i}+2\\mathbf{j}', '\\mathbf{i} + 2 \\mathbf{j}'],
    ['\\hat{i} + 2\\hat{j}', '2\\hat{j}+\\hat{i}'],
    ['\\frac{\\mathrm{d}y}{\\mathrm{d}x}', '\\frac{dy}{dx}'],
    ['\\lfloor \\sqrt{10} \\rfloor', '3'],
    ['\\sqrt[4]{16}', '2'],
    ['\\sqrt{-4}', '2i'],
    ['3+4i', '4i+3'],
    ['\\frac{1+i}{\\sqrt2}', 'e^{i\\pi/4}'],
    ['r(\\cos\\theta+i\\sin\\theta)', 're^{i\\theta}'],
    ['10^5', '100{,}000'],
    ['100\\,000', '100000'],
    ['1\\ 000', '1000'],
    ['5\\times3', '15'],
    ['5 \\text{ or } 6', '6, 5'],
    ['x=5,\\ y=6', '(5,6)'],
    ['(x,y)=(5,6)', '(5,6)'],
    ['(x,y)=(5,6)', 'x=5, y=6'],
    ['\\text{True}', 'true'],
    ['\\frac{2}{3}\\text{ of a mile}', '\\frac23'],
    ['3:1', '3 : 1'],
    ['1/3', '\\frac{1}{3}'],
    ['\\frac{1}{2}x + 3', '0.5x+3'],
    ['2x+3y-5=0', '2x+3y=5'],
    ['y = -\\frac{1}{2}x + 4', 'x+2y=8'],
    ['x = \\frac{y-1}{2}', 'y = 2x+1'],
    ['-3 \\le x \\le 3', '[-3, 3]'],
    ['(x-2)(x+3)=0', 'x^2+x-6=0'],
    ['x = 2, -3', '\\{2,-3\\}'],
    ['\\cos^{-1}(0)', '\\frac{\\pi}{2}'],
    ['\\sin^{-1} 1', '90^\\circ'],
    ['2\\pi r', '2r\\pi'],
    ['4.0', '4'],
    ['1.50', '\\frac{3}{2}'],
    ['.5', '0.5'],
    ['+5', '5'],
    ['\\boxed{\\frac{1}{2}}', '0.5'],
    ['$\\frac{1}{2}$', '1/2'],
    ['\\(\\frac{1}{2}\\)', '1/2'],
    ['\\[ x = 2 \\]', '2'],
    ['**5**', '5'],
    ['(2+3i)(1-i)', '5+i'],
    ['0.\\overline{12}', '\\frac{4}{33}'],
    ['\\sqrt{50}', '5\\sqrt{2}'],
    ['\\log_{3}{9}', '2'],
    ['\\ln{x^2}', '2\\ln x'],
    ['\\frac{\\ln 9}{\\ln 3}', '2'],
    ['\\exp(2)', 'e^2'],
    ['5 m', '5\\text{ m}'],
    ['5 m', '500\\text{ cm}'],
    ['9 m^2', '9\\text{ square meters}'],
    ['7 in', '7 inches'],
    ['7 in', '7'],
    ['5\\text{ positive integers}', '5'],
    ['30\\text{ students in the class}', '30'],
    ['5\\text{ dollars per hour}', '5'],
    ['1 apple', '1'],
    ['y=6, x=5', '(5,6)'],
    ['m=2, b=3', '(2,3)'],
    ['x_2=1, x_1=2', '1,2'],
    ['x=\\frac12=0.5', '0.5'],
    ['S=1+2+3=6', '6'],
    ['x=1+1=2', 'x=2'],
  ])('%s and %s', (a, b) => {
    expect(judge(a, b)).toBe('correct');
    expect(judge(b, a)).toBe('correct');
  });
});

describe('different answers', () => {
  test.each([
    ['5 m', '5 \\text{ cm}'],
    ['5 m', '5 \\text{ grams}'],
    ['\\{\\emptyset\\}', '\\emptyset'],
    ['12 balls', '13 \\text{ red balls}'],
    ['5 \\text{ million}', '5'],
    ['xyz', '2xyz'],
    ['four', '5'],
    ['15 cm^2', '15 cm^3'],
    ['5 m/s', '5 \\text{ m}'],
    ['\\bar{z}', 'z'],
    ['3\\frac{4}{5x}', '3\\frac{4}{5}'],
    ['seat', '\\text{east}'],
    ['seat', 'east'],
    ['(1,2)', '[1,2]'],
    ['(1,2)', '(2,1)'],
    ['(1,2)', '(1,2,3)'],
    ['1,2', '1,2,2'],
    ['5', '-5'],
    ['90 cents', '90^\\circ'],
    ['9999999999999998', '9999999999999999'],
    ['2^{40}', '1099511627777'],
    ['111111111101', '111111111100'],
    ['y=5', 'x=5'],
    ['', '5'],
    ['x', 'y'],
    ['2x', '2y'],
    ['100200', '(100,200)'],
    ['52_8', '52_9'],
    ['\\begin{pmatrix}1&2\\end{pmatrix}', '\\begin{pmatrix}1\\\\2\\end{pmatrix}'],
    ['3.14', '\\pi'],
    ['1+2\\sqrt{3}', '1-2\\sqrt{3}'],
    ['\\frac{1}{0}', '5'],
    ['22/7', '\\pi'],
    ['1+2\\sqrt3', '1-2\\sqrt3'],
    ['\\sqrt{x^2}', 'x'],
    ['x^2', 'x^3'],
    ['(x-1)^2', '(x+1)^2'],
    ['\\sin x', '\\cos x'],
    ['\\sin 2x', '2\\sin x'],
    ['x^2+y^2=4', 'x^2+y^2=9'],
    ['y=2x+1', 'y=2x-1'],
    ['x>3', 'x\\ge 3'],
    ['x>3', 'x<3'],
    ['x>3', '(3,4)'],
    ['(1,2)\\cup(3,4)', '(1,2)\\cup(3,5)'],
    ['(1,2)\\cup(2,3)', '(1,3)'],
    ['\\{1,2\\}', '\\{1,3\\}'],
    ['5\\text{ cm}', '5\\text{ m}'],
    ['5\\text{ cm}', '5\\text{ cm}^2'],
    ['50\\%', '5'],
    ['50\\%', '500'],
    ['1\\frac12', '\\frac12'],
    ['3\\frac12', '\\frac32'],
    ['0.333', '\\frac13'],
    ['0.\\overline{3}', '0.3'],
    ['\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}', '\\begin{pmatrix}1&3\\\\2&4\\end{pmatrix}'],
    ['2\\begin{pmatrix}1\\\\2\\end{pmatrix}', '\\begin{pmatrix}1\\\\2\\end{pmatrix}'],
    ['\\text{Yes}', 'No'],
    ['\\text{even}', 'odd'],
    ['even', '2'],
    ['A', 'B'],
    ['\\ln 2', '\\log 2'],
    ['5', 'five hundred'],
    ['1,000', '1'],
    ['-\\frac12', '\\frac12'],
    ['i', '-i'],
    ['e^{i\\pi/2}', '-i'],
    ['\\pm 3', '3'],
    ['x=\\pm3', 'x=3'],
    ['\\infty', '-\\infty'],
    ['\\infty', '5'],
    ['(2,\\infty)', '(-\\infty,2)'],
    ['x_1', 'x_2'],
    ['\\alpha', '\\beta'],
    ['2^{100}', '2^{100}+1'],
    ['\\frac{2^{100}+1}{2^{100}}', '1'],
    ['x^2=4', 'x=2'],
    ['\\sqrt[3]{-8}', '2'],
    ['5!', '5'],
    ['\\binom52', '\\binom53+1'],
    ['|x|', 'x'],
    ['\\lfloor x\\rfloor', 'x'],
    ['f(x)=x^2', 'x^3'],
    ['f(x)=x^2', 'y=x^3'],
    ['\\emptyset', '0'],
    ['\\mathbb{R}', '(0,\\infty)'],
    ['10^{-20}', '0'],
    ['10^{10}', '10^{11}'],
    ['x\\ne 3', 'x=3'],
  ])('%s and %s', (a, b) => {
    expect(judge(a, b)).toBe('incorrect');
    expect(judge(b, a)).toBe('incorrect');
  });
});

describe('what is not decided', () => {
  test.each([
    ['5 m', '5'],
    ['3g', '3'],
    ['|x-2|<3', '-1<x<5'],
    ['\\begin{vmatrix}1&2\\\\3&4\\end{vmatrix}', '-2'],
    ['x \\equiv 3 \\pmod{7}', '3'],
    ['\\sqrt{-x^2-1}', '\\sqrt{-1-x^2}-1'],
    ['xyz', 'xzy'],
    ['12 balls', '12 \\text{ red balls}'],
    ['\\sum_{k=1}^{3} k', '6'],
    ['\\int_0^1 x\\,dx', '\\frac12'],
    ['3 \\pmod 7', '3'],
    ['n!', 'n'],
    ['\\frac{1}{0}', '\\frac{2}{0}'],
    ['2\\infty', '\\infty'],
    ['9^{9^{9^9}}', '5'],
    ['10^10^10', '5'],
    ['9^{-9^{9}}', '0'],
    ['1+', '1'],
    ['(1', '1'],
    ['1..2', '1.2'],
    ['\\mathbb{R}', '\\mathbb{Z}'],
    ['12:30', '6:15'],
    ['3x = 15', '5'],
  ])('%s and %s', (a, b) => {
    expect(judge(a, b)).toBe('undecided');
    expect(judge(b, a)).toBe('undecided');
  });
});

test.each([
  ['7', '7', 'text'],
  ['7.0', '7', 'number'],
  ['(1,2)', '(1.0,2)', 'value'],
  ['\\frac12', '0.5', 'value'],
  ['élan vital', '\\text{Élan vital}', 'words'],
])('%s and %s are equal by %s', (a, b, method) => {
  expect(judgeMath(a, b, 1e-9)).toMatchObject({ judgement: 'correct', method });
});

test('the tolerance is for decimals', () => {
  expect(judgeMath('0.3333', '\\frac13', 1e-3).judgement).toBe('correct');
  expect(judgeMath('0.3333', '\\frac13', 1e-9).judgement).toBe('incorrect');
  expect(judgeMath('\\frac{3333}{10000}', '\\frac13', 1e-3).judgement).toBe('incorrect');
});

describe('expressions', () => {
  /** Polynomials and quotients over x and y, in one way to write them and in another. */
  const twins = fc.letrec<{ leaf: [string, string]; tree: [string, string] }>((tie) => ({
    leaf: fc.oneof(
      fc.integer({ min: 1, max: 99 }).map((n): [string, string] => [`${n}`, `\\frac{${3 * n}}{3}`]),
      fc.constantFrom<[string, string]>(
        ['x', 'x'],
        ['y', 'y^{1}'],
        ['\\pi', '\\frac{2\\pi}{2}'],
        ['\\sqrt{2}', '2^{1/2}'],
      ),
    ),
    tree: fc.oneof(
      { maxDepth: 4 },
      tie('leaf'),
      fc
        .tuple(tie('tree'), tie('tree'))
        .map(([[a, b], [c, d]]): [string, string] => [`(${a}+${c})`, `(${d}+${b})`]),
      fc
        .tuple(tie('tree'), tie('tree'))
        .map(([[a, b], [c, d]]): [string, string] => [`${a} \\cdot (${c})`, `(${d})(${b})`]),
      fc
        .tuple(tie('tree'), tie('tree'))
        .map(([[a, b], [c, d]]): [string, string] => [`(${a}-${c})`, `(-(${d})+${b})`]),
      tie('tree').map(([a, b]): [string, string] => [`(${a})^2`, `(${b})(${b})`]),
      tie('tree').map(([a, b]): [string, string] => [`\\frac{${a}}{7}`, `(${b})/7`]),
    ),
  })).tree;

  test('stay equal when they are rewritten', () => {
    fc.assert(
      fc.property(twins, ([a, b]) => {
        expect([a, b, judge(a, b)]).toEqual([a, b, 'correct']);
      }),
    );
  });

  test('are told from their multiples', () => {
    const factor = fc.integer({ min: 2, max: 9 });
    fc.assert(
      fc.property(twins, factor, ([a, b], k) => {
        // A square and 1 are never 0 together: a multiple is another expression.
        expect(judge(`${k}((${a})^2+1)`, `(${b})^2+1`)).toBe('incorrect');
        expect(judge(`\\frac{1000+${k}}{1000}((${a})^2+1)`, `(${b})^2+1`)).toBe('incorrect');
      }),
    );
  });

  test('compare alike in both orders', () => {
    fc.assert(
      fc.property(twins, twins, ([a], [, b]) => {
        expect(judge(a, b)).toBe(judge(b, a));
      }),
    );
  });
});

test('sets do not depend on the order of their items', () => {
  const items = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(items, fc.func(fc.nat()), (numbers, rank) => {
      const shuffled = [...numbers].sort((a, b) => rank(a) - rank(b) || a - b);
      expect(judge(shuffled.join(', '), `\\{${numbers.join(',')}\\}`)).toBe('correct');
      expect(judge(numbers.slice(1).join(', '), `\\{${numbers.join(',')}\\}`)).toBe('incorrect');
    }),
  );
});

test('unions are equal when the same numbers are in them', () => {
  const limits = fc.uniqueArray(fc.integer({ min: -20, max: 20 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(limits, (numbers) => {
      const [a, b, c] = numbers.toSorted((x, y) => x - y);
      expect(judge(`(${a},${b}]\\cup[${b},${c})`, `(${a},${c})`)).toBe('correct');
      expect(judge(`(${a},${b})\\cup(${b},${c})`, `(${a},${c})\\setminus\\{${b}\\}`)).toBe('correct');
      expect(judge(`(${a},${b})\\cup(${b},${c})`, `(${a},${c})`)).toBe('incorrect');
    }),
  );
});

describe('hostile answers', () => {
  const repeat = (text: string, times: number) => text.repeat(times);
  const bombs = [
    repeat('(', 1999),
    repeat('\\sqrt{', 333),
    repeat('\\frac', 400),
    `${repeat('\\frac{1}{', 100_000)}2${repeat('}', 100_000)}`,
    `${repeat('\\frac{1}{', 50)}2${repeat('}', 50)}`,
    `${repeat('2^{', 55)}2${repeat('}', 55)}`,
    repeat('1,', 1000),
    repeat('\\text{', 333),
    repeat(' ', 2000),
    repeat('{', 1000) + repeat('}', 1000),
    repeat('1\\pm2,', 333),
    `${repeat('\\{1\\pm', 50)}2${repeat('\\}', 50)}`,
    repeat('(1,', 600),
    repeat('\\{', 900),
    `${repeat('x', 999)}=${repeat('y', 999)}`,
    repeat('\\\\', 1000),
    repeat('-', 2000),
    repeat('5', 1_000_000),
    repeat('\\frac{x}{', 120_000),
    `${repeat('9^{300}*', 240)}1`,
    repeat('(x+1/3)', 280),
    repeat('(x+y)^{60}', 190),
    `${repeat('9!+', 600)}1`,
    `\\$${repeat('1,', 990)}x`,
    repeat('a and ', 330),
    repeat('|', 2000),
    Array.from({ length: 400 }, (_, at) => `${at}x`).join(','),
  ];

  test('come to an end within the counted steps, and are never taken for another', () => {
    for (const bomb of bombs) {
      for (const gold of ['7', 'x+1', '(1,2)', `${bomb}+1`]) {
        const finding = judgeMath(bomb, gold, 1e-9);
        expect([bomb.slice(0, 30), gold.slice(0, 30), finding.judgement]).not.toContain('correct');
        expect(finding.steps).toBeLessThanOrEqual(MAX_STEPS + 50);
      }
      if (bomb.trim() !== '') expect(judge(bomb, bomb)).toBe('correct');
    }
  });

  const pieces = fc.constantFrom(
    ...[
      '\\frac',
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      '1',
      'x',
      '^',
      '\\pm',
      ',',
      '\\text{',
      '\\sqrt',
      '&',
      '\\\\',
      ' ',
      '=',
    ],
    ...[
      '|',
      '!',
      '_',
      '\\',
      '\\cup',
      '\\begin{pmatrix}',
      '\\end{pmatrix}',
      '<',
      '\\in',
      '\\{',
      '\\}',
      '/',
      '0',
      '-',
    ],
    ...[
      '\\infty',
      '\\sin',
      '\\log',
      '.5',
      '\\%',
      '\\$',
      'cm',
      'or',
      ':',
      'e',
      'i',
      '\\overline{3}',
      '\\mathbb{R}',
    ],
  );

  test('never throw, and compare alike in both orders', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), fc.array(pieces, { maxLength: 30 }), (a, b) => {
        const [left, right] = [a.join(''), b.join('')];
        expect(judge(left, right)).toBe(judge(right, left));
        expect(judge(left, left)).toBe('correct');
      }),
      { numRuns: cases(3_000) },
    );
  });
});

test('says whether it is the answer alone that can not be compared', () => {
  const isOfAnswer = (answer: string, gold: string) => {
    const finding = judgeMath(answer, gold, 1e-9);
    return finding.judgement === 'undecided' ? finding.isOfAnswer : undefined;
  };
  for (const answer of [
    '???',
    '\\frac{1}{',
    '5 or 6 (not sure)',
    '7+'.repeat(1_500),
    '41=42',
    '41<42',
    '9^{9^{9^9}}',
  ])
    expect(isOfAnswer(answer, '42'), answer.slice(0, 20)).toBe(true);
  expect(isOfAnswer('42', '\\frac{1}{')).toBe(false);
  expect(isOfAnswer('???', '\\frac{1}{')).toBe(false);
  expect(isOfAnswer('42', '99999999!')).toBe(false);
  expect(isOfAnswer('43', '42')).toBeUndefined();
});
