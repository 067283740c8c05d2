//! Reading job traces: detection by content, one reader a format, and a report of what was understood.
