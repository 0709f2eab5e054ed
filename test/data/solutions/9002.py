class Solution:
    def longestEcho(self, call: str) -> str:
        for length in range(len(call) - 1, 0, -1):
            if call.endswith(call[:length]):
                return call[:length]
        return ""
