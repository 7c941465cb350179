/** A line break or a bar would end the cell of a table; a `<` outside of code would begin HTML. */
export function cell(text: string): string {
	const oneLine = text.replaceAll("|", "\\|").replaceAll("\n", " ");
	return oneLine.replace(/`[^`]*`|</g, (found) => (found === "<" ? "\\<" : found));
}
