class Solution:
    def maxEnergyBoost(self, energyDrinkA: List[int], energyDrinkB: List[int]) -> int:
        best_a = best_b = 0
        for a, b in zip(energyDrinkA, energyDrinkB):
            best_a, best_b = max(best_a + a, best_b), max(best_b + b, best_a)
        return max(best_a, best_b)
