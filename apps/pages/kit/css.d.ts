declare module "*.css" {
	const text: string;
	// biome-ignore lint/style/noDefaultExport: the text of a file has no other name.
	export default text;
}
/** The scripts that pages load; here they are only text. */
declare module "*.js" {
	const text: string;
	// biome-ignore lint/style/noDefaultExport: the text of a file has no other name.
	export default text;
}
