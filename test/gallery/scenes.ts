import sharp from "sharp";
import { fromSvg } from "./svg.ts";

/* Pictures that are drawn here, for pages that show what an address does: nobody else's, and found by the models that look for faces and subjects. */

/** A harbour in the evening, 1600×1067. */
const HARBOUR = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1067" viewBox="0 0 1600 1067">
<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#1b2a5c"/><stop offset=".55" stop-color="#d9667b"/><stop offset="1" stop-color="#ffd9a0"/></linearGradient>
<linearGradient id="sea" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#f2a07b"/><stop offset="1" stop-color="#233a66"/></linearGradient></defs>
<rect width="1600" height="1067" fill="url(#sky)"/><circle cx="1080" cy="560" r="120" fill="#fff2c9"/>
<path d="M0 620 L260 380 L430 560 L620 330 L900 640 L1180 520 L1600 660 V700 H0Z" fill="#463463"/>
<path d="M0 660 L210 560 L480 650 L760 590 L1120 670 L1600 620 V760 H0Z" fill="#2c2350"/>
<rect y="700" width="1600" height="367" fill="url(#sea)"/>
<g fill="#ffe9b8" opacity=".55"><rect x="960" y="715" width="240" height="9"/><rect x="990" y="745" width="180" height="8"/><rect x="940" y="780" width="280" height="8"/><rect x="1010" y="820" width="150" height="7"/></g>
<path d="M300 820 h330 l-50 70 h-230z" fill="#1a1633"/><path d="M455 520 v300 M455 530 l150 270 h-150z M440 560 l-110 240 h110z" fill="#f6efe2" stroke="#1a1633" stroke-width="8"/>
</svg>`;

/** Somebody on a terrace above the sea, 1600×1067, right of the middle. */
const PORTRAIT = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1067" viewBox="0 0 1600 1067">
<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#7fb7d9"/><stop offset="1" stop-color="#f4e3c4"/></linearGradient>
<radialGradient id="skin" cx=".42" cy=".38" r=".75"><stop offset="0" stop-color="#f3c7a4"/><stop offset=".6" stop-color="#e0a57f"/><stop offset="1" stop-color="#b97a58"/></radialGradient>
<linearGradient id="coat" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#2f5d62"/><stop offset="1" stop-color="#1b3a3f"/></linearGradient>
<filter id="soft"><feGaussianBlur stdDeviation="7"/></filter></defs>
<rect width="1600" height="1067" fill="url(#sky)"/>
<path d="M0 520 L240 400 L520 500 L820 380 L1150 510 L1600 430 V640 H0Z" fill="#8fa9a0"/>
<rect y="610" width="1600" height="457" fill="#5d93a8"/><rect y="820" width="1600" height="247" fill="#d8c3a0"/>
<g fill="#c2a97f"><rect x="90" y="700" width="34" height="180"/><rect x="330" y="700" width="34" height="180"/><rect x="570" y="700" width="34" height="180"/><rect y="690" width="760" height="26"/></g>
<path d="M700 1067 C710 880 830 810 960 790 L1120 790 C1260 812 1370 885 1385 1067Z" fill="url(#coat)"/>
<path d="M965 700 h150 v120 q-75 60 -150 0z" fill="#c98d68"/>
<path d="M820 470 C800 250 920 170 1045 170 C1180 170 1290 260 1262 480 C1255 590 1240 620 1225 640 L1190 400 L880 400 L858 640 C838 600 825 560 820 470Z" fill="#3b2a20"/>
<ellipse cx="1040" cy="500" rx="175" ry="232" fill="url(#skin)"/>
<path d="M866 440 C880 300 960 265 1040 268 C1130 265 1205 310 1214 440 C1180 360 1120 340 1040 342 C960 340 900 360 866 440Z" fill="#3b2a20"/>
<g filter="url(#soft)" opacity=".5"><ellipse cx="945" cy="585" rx="42" ry="28" fill="#d9826a"/><ellipse cx="1135" cy="585" rx="42" ry="28" fill="#d9826a"/><path d="M1030 470 q-22 90 -10 112 q24 14 46 0" fill="#b97a58"/><ellipse cx="1040" cy="705" rx="70" ry="18" fill="#9c6243"/></g>
<g><path d="M905 432 q55 -32 100 -6" stroke="#2c1e16" stroke-width="15" fill="none" stroke-linecap="round"/><path d="M1076 426 q50 -26 102 6" stroke="#2c1e16" stroke-width="15" fill="none" stroke-linecap="round"/>
<path d="M912 484 q45 -38 88 0 q-44 28 -88 0z" fill="#fdfaf6"/><path d="M1082 484 q45 -38 88 0 q-44 28 -88 0z" fill="#fdfaf6"/>
<circle cx="957" cy="482" r="20" fill="#4a3524"/><circle cx="1127" cy="482" r="20" fill="#4a3524"/><circle cx="957" cy="482" r="9" fill="#0c0805"/><circle cx="1127" cy="482" r="9" fill="#0c0805"/><circle cx="963" cy="475" r="5" fill="#fff"/><circle cx="1133" cy="475" r="5" fill="#fff"/>
<path d="M908 482 q48 -44 96 2" stroke="#2c1e16" stroke-width="7" fill="none"/><path d="M1078 484 q48 -46 96 -2" stroke="#2c1e16" stroke-width="7" fill="none"/></g>
<path d="M1040 490 q-18 70 -34 88 q6 18 36 20 q28 -2 34 -18" stroke="#a8694a" stroke-width="7" fill="none" stroke-linecap="round"/>
<path d="M968 645 q36 -18 72 -6 q36 -12 72 6 q-30 46 -72 46 q-44 0 -72 -46z" fill="#b8564f"/><path d="M968 645 q72 18 144 0" stroke="#7c332f" stroke-width="6" fill="none"/>
</svg>`;

/** A mark with a transparent background, 340×200. */
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" width="340" height="200" viewBox="0 0 340 200">
<circle cx="90" cy="100" r="62" fill="none" stroke="#fff" stroke-width="16"/><path d="M52 118 L90 62 L128 118Z" fill="#fff"/>
<path d="M180 72 h130 M180 104 h100 M180 136 h130" stroke="#fff" stroke-width="16" stroke-linecap="round"/></svg>`;

/** Each picture as it is uploaded. */
export const SCENES = {
	harbour: { filename: "harbour.jpg", draw: () => fromSvg(HARBOUR).jpeg({ quality: 92 }).toBuffer() },
	portrait: { filename: "portrait.jpg", draw: () => fromSvg(PORTRAIT).jpeg({ quality: 92 }).toBuffer() },
	mark: { filename: "mark.png", draw: () => fromSvg(MARK).png().toBuffer() },
	/** Within a border of one colour. */
	framed: {
		filename: "framed.jpg",
		draw: async () =>
			await sharp(await fromSvg(HARBOUR).resize(1_200).toBuffer())
				.extend({ top: 130, bottom: 130, left: 200, right: 200, background: "#f4f1ea" })
				.jpeg({ quality: 92 })
				.toBuffer(),
	},
	/** An animation: the harbour by day and by night. */
	animation: { filename: "days.webp", draw: days },
} as const;

export type SceneName = keyof typeof SCENES;

async function days(): Promise<Buffer> {
	const frames = await Promise.all(
		[1, 0.7, 0.45, 0.25].map((brightness) => fromSvg(HARBOUR).resize(600).modulate({ brightness }).png().toBuffer()),
	);
	return await sharp(frames, { join: { animated: true } })
		.webp({ delay: [400, 400, 400, 400] })
		.toBuffer();
}
