class Solution:
    def checkTwoChessboards(self, coordinate1: str, coordinate2: str) -> bool:
        def color(square: str) -> int:
            return (ord(square[0]) + int(square[1])) % 2

        return color(coordinate1) == color(coordinate2)
