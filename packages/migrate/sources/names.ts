/** Endings of pictures that the service takes, and of those that it names a reason for. */
const PICTURES = /\.(jpe?g|jpe|jfif|png|webp|avif|gif|hei[cf]|tiff?|bmp|svg|ico|jxl|jp2)$/i;
const ENDING = /\.([A-Za-z][A-Za-z0-9]{0,9})$/;

/** Why a file is no picture, by its name alone; undefined where it may be one. */
export function noPictureByName(path: string): string | undefined {
	const name = path.split("/").at(-1) ?? "";
	const [, ending] = ENDING.exec(name) ?? [];
	return ending === undefined || PICTURES.test(name)
		? undefined
		: `Its name ends with .${ending}, so that it is no picture.`;
}
