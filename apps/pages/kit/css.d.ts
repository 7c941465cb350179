declare module "*.css" {
	const text: string;
	// biome-ignore lint/style/noDefaultExport: the text of a file has no other name.
	export default text;
}
/** The script that pages load; here it is only text. */
declare module "*/passkeys.js" {
	const text: string;
	// biome-ignore lint/style/noDefaultExport: the text of a file has no other name.
	export default text;
}
