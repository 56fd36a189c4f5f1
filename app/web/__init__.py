"""Pages for people, health checks and what every HTTP answer has in common."""
