// Figures and how they are written.

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export const MB = (bytes) => (bytes / 1e6).toFixed(1);

/** A row of a Markdown table. */
export const row = (...cells) => `| ${cells.join(" | ")} |`;

/** The head of a Markdown table. */
export const head = (...names) => `${row(...names)}\n${row(...names.map(() => "---"))}`;
