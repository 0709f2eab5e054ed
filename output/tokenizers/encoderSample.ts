/**
 * Text on which an encoder is compared with Hugging Face's before it is used: every class of character that
 * pre-tokeniser patterns tell apart, the CoA layout, and spaces that JavaScript and Unicode count differently.
 */
export const encoderSample = [
  "<think>It's what we'LL do: \"check\" 3.14159 × 2024-01-02…</think>\n<web_search>who'd win?  </web_search>\n",
  '<observation>\n日本語のテキスト、한국어 텍스트。 नमस्ते दुनिया עברית العربية\n\n\n  indented\r\n\ttabs\t\t\n</observation>\n\n',
  '<code>\n```py\nfor i in range(10):\n    print(f"{i:>3} {i**2}")  # ²³½ Ⅷ\n```\n</code>\n',
  'a\u00a0b\u1680c\u2003d\u2028e\u3000f\u0085g\u180eh\ufeffi\u200bj\u000bk\u001cl  \u00a0 m\n \n',
  '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 é ñ ạ̈ x̄ Å ﬁ ǅ İstanbul ß ſ ʼn \u0000\u0001 <|im_start|> <tool_call> [INST]',
]
  .join('')
  .normalize('NFC');
