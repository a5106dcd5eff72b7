"""The page in a real browser. Skipped, with the reason, where no chromium is."""
