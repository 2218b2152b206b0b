"""Training: configs, the Stable-Baselines3 adapter, PPO runs."""
