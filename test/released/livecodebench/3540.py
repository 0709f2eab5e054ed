class Solution:
    def stringHash(self, s: str, k: int) -> str:
        parts = [s[begin : begin + k] for begin in range(0, len(s), k)]
        return "".join(chr(97 + sum(ord(letter) - 97 for letter in part) % 26) for part in parts)
