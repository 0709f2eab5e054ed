class Solution:
    def generateKey(self, num1: int, num2: int, num3: int) -> int:
        padded = [str(number).zfill(4) for number in (num1, num2, num3)]
        return int("".join(min(digits) for digits in zip(*padded)))
