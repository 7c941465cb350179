/*
 * The sheet of an App's own colour. Only six hexadecimal digits come in, as numbers, and only numbers that were computed here go out: what
 * somebody else wrote never becomes a part of a sheet. The colour itself is shown where text in it, and text on it, reach the contrast that
 * WCAG 2.2 asks for (1.4.3); else one of the same hue that does, found by its lightness in OKLCH, the space in which steps look alike
 * (Björn Ottosson, "A perceptual color space for image processing").
 */

/** What pages ask of a pair of colours that is read; 4.5 in WCAG 2.2, and a little more because each channel is rounded. */
const CONTRAST = 4.55;

/** Red, green and blue, each from 0 to 1 and linear in light. */
type Light = readonly [red: number, green: number, blue: number];

/** Lightness from 0 to 1, chroma, and hue in radians. */
interface Tone {
	readonly l: number;
	readonly c: number;
	readonly h: number;
}

/** How one of the two colour schemes is made of a colour. */
interface Scheme {
	/** What the colour stands on besides its own tint: the page, and a card on it. */
	readonly grounds: readonly string[];
	/** The lightness and most chroma of the ground that is tinted with it, and of text on it. */
	readonly tint: Pick<Tone, "l" | "c">;
	readonly on: Pick<Tone, "l" | "c">;
	/** The way to more contrast. */
	readonly step: 1 | -1;
}

/** Grounds as in pages.css. */
const LIGHT: Scheme = {
	grounds: ["f6f5f1", "ffffff"],
	tint: { l: 0.955, c: 0.018 },
	on: { l: 1, c: 0 },
	step: -1,
};
const DARK: Scheme = {
	grounds: ["141614", "1c1f1c"],
	tint: { l: 0.285, c: 0.03 },
	on: { l: 0.22, c: 0.04 },
	step: 1,
};

/** What a pointer over a button makes of its lightness. */
const STRONGER = 0.07;

/**
 * The rules for a colour, in light and in dark.
 * @param digits six hexadecimal digits
 */
export function accentSheet(digits: string): string {
	return `:root{${declarations(digits, LIGHT)}}@media screen and (prefers-color-scheme:dark){:root{${declarations(digits, DARK)}}}\n`;
}

/** The same for parts of a page that show both, whatever the browser asks for: `in-light` and `in-dark` of the console's sheet. */
export function looksSheet(digits: string): string {
	return `.in-light{${declarations(digits, LIGHT)}}.in-dark{${declarations(digits, DARK)}}\n`;
}

function declarations(digits: string, scheme: Scheme): string {
	const given = toTone(readLight(digits));
	const like = ({ l, c }: Pick<Tone, "l" | "c">) => toDigits({ l, c: Math.min(c, given.c), h: given.h });
	const [tint, on] = [like(scheme.tint), like(scheme.on)];
	const beside = [...scheme.grounds, tint, on];
	const isRead = (shown: string) => beside.every((ground) => contrast(shown, ground) >= CONTRAST);
	const accent = isRead(digits) ? digits : nearest(given, scheme.step, isRead);
	const shown = toTone(readLight(accent));
	// At the end of the scale the way to more contrast is closed.
	const onward = shown.l + scheme.step * STRONGER;
	const strong = onward > 0.05 && onward < 1 ? onward : shown.l - 3 * scheme.step * STRONGER;
	const colours = { accent, "accent-strong": toDigits({ ...shown, l: strong }), "on-accent": on, tint };
	return Object.entries(colours)
		.map(([name, colour]) => `--${name}:#${colour}`)
		.join(";");
}

/** The first colour on the way to more contrast that is read, by halves. */
function nearest(given: Tone, step: 1 | -1, isRead: (digits: string) => boolean): string {
	let [unread, read] = [given.l, step > 0 ? 1 : 0];
	for (let halves = 0; halves < 12; halves++) {
		const middle = (unread + read) / 2;
		if (isRead(toDigits({ ...given, l: middle }))) read = middle;
		else unread = middle;
	}
	return toDigits({ ...given, l: read });
}

/** From 1 to 21 (WCAG 2.2, "contrast ratio"). */
function contrast(one: string, other: string): number {
	const [darker, lighter] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
	return ((lighter ?? 1) + 0.05) / ((darker ?? 0) + 0.05);
}

function luminance(digits: string): number {
	const [red, green, blue] = readLight(digits);
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function readLight(digits: string): Light {
	const channel = (place: number) => {
		const value = Number.parseInt(digits.slice(place, place + 2), 16) / 255;
		return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	};
	return [channel(0), channel(2), channel(4)];
}

function toTone([red, green, blue]: Light): Tone {
	const long = Math.cbrt(0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue);
	const medium = Math.cbrt(0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue);
	const short = Math.cbrt(0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue);
	const a = 1.977_998_495_1 * long - 2.428_592_205 * medium + 0.450_593_709_9 * short;
	const b = 0.025_904_037_1 * long + 0.782_771_766_2 * medium - 0.808_675_766 * short;
	return {
		l: 0.210_454_255_3 * long + 0.793_617_785 * medium - 0.004_072_046_8 * short,
		c: Math.hypot(a, b),
		h: Math.atan2(b, a),
	};
}

function toLight({ l, c, h }: Tone): Light {
	const [a, b] = [c * Math.cos(h), c * Math.sin(h)];
	const long = (l + 0.396_337_777_4 * a + 0.215_803_757_3 * b) ** 3;
	const medium = (l - 0.105_561_345_8 * a - 0.063_854_172_8 * b) ** 3;
	const short = (l - 0.089_484_177_5 * a - 1.291_485_548 * b) ** 3;
	return [
		4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
		-1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
		-0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701 * short,
	];
}

/** What a screen cannot show loses chroma, and keeps its hue and its lightness. */
function toDigits(tone: Tone): string {
	let [shown, most] = [0, tone.c];
	for (let halves = 0; halves < 12 && !isShown(toLight({ ...tone, c: most })); halves++) {
		const middle = (shown + most) / 2;
		if (isShown(toLight({ ...tone, c: middle }))) shown = middle;
		else most = middle;
	}
	const c = isShown(toLight({ ...tone, c: most })) ? most : shown;
	return toLight({ ...tone, c })
		.map(toChannel)
		.join("");
}

/** Half a step of the last digit. */
const ROUNDED = 0.002;

function isShown(light: Light): boolean {
	return light.every((channel) => channel >= -ROUNDED && channel <= 1 + ROUNDED);
}

function toChannel(light: number): string {
	const value = Math.min(1, Math.max(0, light));
	const encoded = value <= 0.003_130_8 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
	return Math.round(encoded * 255)
		.toString(16)
		.padStart(2, "0");
}
