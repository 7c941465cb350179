/** How a picture can be drawn: 16 million colours, 256 of them, or none at all. */
export type Colours = "truecolor" | "256" | "none";

const STEPS = [0, 95, 135, 175, 215, 255];

/** What the terminal that these variables describe can do. */
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
