declare module "*.css" {
	const text: string;
	// biome-ignore lint/style/noDefaultExport: the text of a file has no other name.
	export default text;
}
