import type { UsageRow } from "@svc/sdk/shapes";
import { Day, dayText, fileSize, numberText } from "../../kit/parts.tsx";
import { type Message, usePlain } from "../../kit/text.ts";
import { Lines } from "../kit/lines.tsx";
import { t } from "../messages.ts";

/* What an App did on each of the last days: as bars, and the same as a table. */

interface Measure {
	readonly field: "image_requests" | "bytes_served" | "renditions" | "uploads" | "requests";
	readonly title: Message;
	readonly say: (value: number) => Message;
}

const MEASURES: readonly Measure[] = [
	{ field: "image_requests", title: t("days.served"), say: numberText },
	{ field: "bytes_served", title: t("days.bytes"), say: fileSize },
	{ field: "renditions", title: t("days.renditions"), say: numberText },
	{ field: "uploads", title: t("days.uploads"), say: numberText },
	{ field: "requests", title: t("days.calls"), say: numberText },
];

export function Days({ days }: { readonly days: readonly UsageRow[] }) {
	const lines = days.toReversed().map((day) => ({
		id: day.date ?? "",
		cells: [<Day key="day" ms={msOf(day)} />, ...MEASURES.map(({ field, say }) => say(day[field]))],
	}));
	return (
		<section className="days" aria-labelledby="days">
			<h2 id="days">{t("days")}</h2>
			<div className="measures">
				{MEASURES.map((measure, place) => (
					<Bars key={measure.field} measure={measure} days={days} hasEnds={place === 0} />
				))}
			</div>
			<details>
				<summary>{t("days.table")}</summary>
				<Lines
					caption={t("days")}
					columns={[t("days.day"), ...MEASURES.map(({ title }) => title)]}
					numbers={[1, 2, 3, 4, 5]}
					lines={lines}
				/>
			</details>
		</section>
	);
}

function msOf({ date }: UsageRow): number {
	return Date.parse(date ?? "");
}

/** In units of the drawing. */
const HEIGHT = 48;
const STEP = 8;
const WIDTH = 6;

function Bars({
	measure: { field, title, say },
	days,
	hasEnds,
}: {
	readonly measure: Measure;
	readonly days: readonly UsageRow[];
	/** Says below it which days are the first and the last. */
	readonly hasEnds: boolean;
}) {
	const plain = usePlain();
	const most = Math.max(1, ...days.map((day) => day[field]));
	const [first, last] = [days[0], days.at(-1)];
	const sum = say(days.reduce((all, day) => all + day[field], 0));
	return (
		<figure className="card measure">
			<figcaption>
				<span className="soft">{title}</span>
				<strong>{sum}</strong>
			</figcaption>
			<svg
				role="img"
				aria-label={`${plain(title)}: ${plain(sum)}`}
				viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
				preserveAspectRatio="none"
			>
				{days.map((day, place) => {
					// A day on which nothing happened is a line, so that one sees that it was counted.
					const height = Math.max(1, Math.round((day[field] / most) * HEIGHT));
					return (
						<g key={day.date}>
							<title>{`${plain(dayText(msOf(day)))}: ${plain(say(day[field]))}`}</title>
							<rect className="day" x={place * STEP} width={STEP} height={HEIGHT} />
							<rect
								className={day[field] === 0 ? "none" : undefined}
								x={place * STEP}
								y={HEIGHT - height}
								width={WIDTH}
								height={height}
							/>
						</g>
					);
				})}
			</svg>
			{hasEnds && first && last && (
				<p className="ends" aria-hidden="true">
					<Day ms={msOf(first)} />
					<Day ms={msOf(last)} />
				</p>
			)}
		</figure>
	);
}
