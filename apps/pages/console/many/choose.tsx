import { usePlain } from "../../kit/text.ts";
import { type Filter, queryOf } from "../images/filter.ts";
import { numberOf } from "../images/picture-facts.tsx";
import { Hidden } from "../images/search.tsx";
import { t } from "../messages.ts";

/** The form that takes what is selected, and leads to what can be done with it. */
export const CHOOSE = "choose";

interface ChooseProps {
	readonly here: string;
	readonly filter: Filter;
	/** How many fit the filter; null where that is not known. */
	readonly total: number | null | undefined;
	readonly mayEdit: boolean;
}

/** Leads to what can be done with the ticked pictures, or with all that fit. */
export function Choose({ here, filter, total = null, mayEdit }: ChooseProps) {
	const say = usePlain();
	const all = total === null ? t("chosen.every") : t("chosen.all", { images: numberOf(total) });
	return (
		<form
			id={CHOOSE}
			className="chosen"
			method="get"
			action={`${here}/chosen`}
			data-said={say(t("select.said", { images: "{images}" }))}
			data-full={say(t("select.full"))}
		>
			<Hidden filter={filter} />
			{mayEdit && (
				<>
					<label className="whole" hidden>
						<input type="checkbox" /> {t("select.page")}
					</label>
					<button className="quiet slim" type="submit" data-text={say(t("select.with", { images: "{images}" }))}>
						{t("images.chosen")}
					</button>
					<button className="plain" type="button" hidden>
						{t("select.none")}
					</button>
					<a className="button quiet slim" href={`${here}/chosen${allQuery(filter)}`}>
						{all}
					</a>
					<span className="fault" data-note />
				</>
			)}
			{filter.state === undefined && <Download here={here} query={queryOf(filter)} />}
		</form>
	);
}

/** The query of a screen that is about all pictures which fit. */
export function allQuery(filter: Filter): string {
	return `?${new URLSearchParams([...new URLSearchParams(queryOf(filter)), ["all", "1"]])}`;
}

/** Led to by the browser itself: what it is answered with may be a file. */
export function Download({ here, query }: { readonly here: string; readonly query: string }) {
	return (
		<a className="button quiet slim" href={`${here}.zip${query}`} target="_self">
			{t("zip")}
		</a>
	);
}
