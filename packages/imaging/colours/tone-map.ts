import { inverse, type Matrix, product, type Triple, times, toXyz } from "./matrix.ts";
import type { ColourNumbers, Primaries } from "./numbers.ts";

/*
 * Light that no screen of before shows, brought into its range: PQ and HLG (BT.2100) by the curve of BT.2390, section 5.4 (EETF), from a nominal
 * peak of 1,000 cd/m² to the 203 cd/m² of a white page (BT.2408). It is applied to the brightest of red, green and blue, and the others keep
 * their share of it, so that no colour changes its hue on the way; what lies outside the primaries of the target is cut.
 */

/** In cd/m². */
const PEAK = 1_000;
const WHITE = 203;
const PQ_MOST = 10_000;

// BT.2100, table 4.
const M1 = 2610 / 16_384;
const M2 = (2523 / 4096) * 128;
const C1 = 3424 / 4096;
const C2 = (2413 / 4096) * 32;
const C3 = (2392 / 4096) * 32;

// BT.2100, table 5.
const HLG_A = 0.178_832_77;
const HLG_B = 1 - 4 * HLG_A;
const HLG_C = 0.5 - HLG_A * Math.log(4 * HLG_A);
/** At the nominal peak. */
const HLG_GAMMA = 1.2;

function pqLight(code: number): number {
	const root = code ** (1 / M2);
	return PQ_MOST * (Math.max(0, root - C1) / (C2 - C3 * root)) ** (1 / M1);
}

function pqCode(light: number): number {
	const power = (light / PQ_MOST) ** M1;
	return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
}

function hlgScene(code: number): number {
	return code <= 0.5 ? code ** 2 / 3 : (Math.exp((code - HLG_C) / HLG_A) + HLG_B) / 12;
}

const PEAK_CODE = pqCode(PEAK);
const MOST = pqCode(WHITE) / PEAK_CODE;
const KNEE = 1.5 * MOST - 0.5;

/** What of such light is shown, in cd/m². */
function shown(light: number): number {
	const code = Math.min(1, pqCode(light) / PEAK_CODE);
	if (code < KNEE) return light;
	const t = (code - KNEE) / (1 - KNEE);
	const bent =
		(2 * t ** 3 - 3 * t ** 2 + 1) * KNEE + (t ** 3 - 2 * t ** 2 + t) * (1 - KNEE) + (3 * t ** 2 - 2 * t ** 3) * MOST;
	return pqLight(bent * PEAK_CODE);
}

/**
 * From numbers between 0 and 1 to linear red, green and blue of the target, between 0 and 1 too. Undefined for what holds no such light, and
 * for primaries that span nothing.
 */
export function toneMap(
	{ primaries, transfer }: ColourNumbers,
	target: Primaries,
): ((codes: Triple) => Triple) | undefined {
	const [from, to] = [toXyz(primaries), toXyz(target)];
	if (!from || !to || (transfer !== "pq" && transfer !== "hlg")) return undefined;
	const turned: Matrix = product(inverse(to), from);
	const lightOf = transfer === "pq" ? each(pqLight) : (codes: Triple) => displayed(each(hlgScene)(codes), from[1]);
	return (codes) => {
		const light = lightOf(codes);
		const brightest = Math.max(...light);
		if (brightest <= 0) return [0, 0, 0];
		const factor = shown(brightest) / brightest / WHITE;
		const colour = each((value) => Math.max(0, value * factor))(times(turned, light));
		const most = Math.max(1, ...colour);
		return each((value) => value / most)(colour);
	};
}

function each(change: (value: number) => number): (values: Triple) => Triple {
	return ([a, b, c]) => [change(a), change(b), change(c)];
}

/** What a screen makes of the light of a scene: the darker it is, the less of it. @param weights - of red, green and blue, in what is bright */
function displayed(scene: Triple, [r, g, b]: Triple): Triple {
	const bright = r * scene[0] + g * scene[1] + b * scene[2];
	return each((value) => PEAK * value * bright ** (HLG_GAMMA - 1))(scene);
}
