import type { Picture } from "./picture.ts";

/** Below it a pixel counts as transparent: the terminal's own background shows. */
const VISIBLE = 128;
const DARK_TO_BRIGHT = " .:-=+*#%@";
const RESET = "\u001b[0m";

interface Cell {
	readonly style: string;
	readonly text: string;
}

/**
 * A picture as lines of a terminal, two pixels to a cell: as many columns as the picture is wide, half as many lines as it is
 * high. Each line begins and ends with the terminal's own colours.
 */
export function halfBlocks(picture: Picture, colours: "truecolor" | "256"): string[] {
	return Array.from({ length: Math.ceil(picture.height / 2) }, (_, row) => {
		let line = "";
		let current = "0";
		for (let x = 0; x < picture.width; x++) {
			const colourAt = (y: number) => parameters(picture, x, y, colours);
			const { style, text } = cellOf(colourAt(row * 2), colourAt(row * 2 + 1));
			if (style !== current) line += `\u001b[${style}m`;
			line += text;
			current = style;
		}
		return current === "0" ? line : line + RESET;
	});
}

/** The colour of a pixel as a terminal's colour parameters go on after 38 or 48; undefined where nothing is to be seen. */
function parameters(picture: Picture, x: number, y: number, colours: "truecolor" | "256"): string | undefined {
	const at = (y * picture.width + x) * 4;
	if (y >= picture.height || (picture.rgba[at + 3] ?? 0) < VISIBLE) return undefined;
	const [red = 0, green = 0, blue = 0] = picture.rgba.subarray(at, at + 3);
	return colours === "truecolor" ? `2;${red};${green};${blue}` : `5;${nearest256(red, green, blue)}`;
}

/** Two pixels, one above the other, in one cell. */
function cellOf(upper: string | undefined, lower: string | undefined): Cell {
	if (upper === undefined && lower === undefined) return { style: "0", text: " " };
	if (upper === undefined) return { style: `0;38;${lower}`, text: "▄" };
	if (lower === undefined) return { style: `0;38;${upper}`, text: "▀" };
	return { style: `38;${upper};48;${lower}`, text: "▀" };
}

/** Draws the picture in plain characters, by brightness on a dark ground. */
export function asciiLines({ width, height, rgba }: Picture): string[] {
	const brightness = (x: number, y: number) => {
		const at = (y * width + x) * 4;
		const [red = 0, green = 0, blue = 0, alpha = 0] = rgba.subarray(at, at + 4);
		// The weights are those of Rec. 709.
		return ((0.2126 * red + 0.7152 * green + 0.0722 * blue) * alpha) / 255;
	};
	return Array.from({ length: Math.ceil(height / 2) }, (_, row) => {
		const cells = Array.from({ length: width }, (_cell, x) => {
			const lower = Math.min(row * 2 + 1, height - 1);
			const mean = (brightness(x, row * 2) + brightness(x, lower)) / 2;
			return DARK_TO_BRIGHT[Math.round((mean / 255) * (DARK_TO_BRIGHT.length - 1))];
		});
		return cells.join("").trimEnd();
	});
}

/** Draws a picture as lines, as well as the terminal can show it. */
export function drawLines(picture: Picture, colours: Colours): string[] {
	return colours === "none" ? asciiLines(picture) : halfBlocks(picture, colours);
}

/** How a picture can be drawn: 16 million colours, 256 of them, or none at all. */
export type Colours = "truecolor" | "256" | "none";

const STEPS = [0, 95, 135, 175, 215, 255];

/** The abilities of the terminal that these variables describe. */
export function coloursOf(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): Colours {
	const { NO_COLOR, COLORTERM = "", TERM = "", WT_SESSION, TERM_PROGRAM } = env;
	if (!isTerminal || (NO_COLOR !== undefined && NO_COLOR !== "") || TERM === "dumb") return "none";
	// macOS's own terminal sets no COLORTERM, and takes 24-bit colours for something else.
	if (TERM_PROGRAM === "Apple_Terminal") return "256";
	if (/truecolor|24bit/i.test(COLORTERM) || /direct|kitty|ghostty/.test(TERM) || WT_SESSION !== undefined) {
		return "truecolor";
	}
	return TERM === "" ? "none" : "256";
}

/** The nearest one of the 256 colours that every such terminal has alike: its cube (16 to 231) and its greys (232 to 255). */
export function nearest256(red: number, green: number, blue: number): number {
	const colour = [red, green, blue];
	const steps = colour.map(nearestStep);
	const [r = 0, g = 0, b = 0] = steps;
	const grey = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)));
	const ofGrey = distance(colour, Array(3).fill(8 + grey * 10));
	const ofCube = distance(
		colour,
		steps.map((step) => STEPS[step] ?? 0),
	);
	return ofGrey < ofCube ? 232 + grey : 16 + 36 * r + 6 * g + b;
}

function nearestStep(value: number): number {
	const distances = STEPS.map((step) => Math.abs(step - value));
	return distances.indexOf(Math.min(...distances));
}

function distance(one: readonly number[], other: readonly number[]): number {
	return one.reduce((sum, value, index) => sum + (value - (other[index] ?? 0)) ** 2, 0);
}
