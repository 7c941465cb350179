import { LOCALES } from "@svc/base/enumerations";
import { LANGUAGE_NAMES } from "@svc/base/words/languages";
import { t } from "../messages.ts";
import { type Section, SectionCard } from "./sections.tsx";

/* The language of the account. */

export const languageSection: Section = {
	id: "language",
	title: t("language"),
	show: async ({ person: { account } }) => (
		<SectionCard id="language" title={t("language")}>
			<p className="soft">{t("language.about")}</p>
			<form method="post" action="/language">
				<fieldset aria-labelledby="language">
					<Choice value="" chosen={account.locale === null}>
						{t("language.browser")}
					</Choice>
					{LOCALES.map((locale) => (
						<Choice key={locale} value={locale} chosen={account.locale === locale}>
							<span lang={locale}>{LANGUAGE_NAMES[locale]}</span>
						</Choice>
					))}
				</fieldset>
				<div>
					<button className="quiet slim" type="submit">
						{t("language.choose")}
					</button>
				</div>
			</form>
		</SectionCard>
	),
};

interface ChoiceProps {
	readonly value: string;
	readonly chosen: boolean;
	readonly children: React.ReactNode;
}

function Choice({ value, chosen, children }: ChoiceProps) {
	return (
		<label className="choice">
			<input type="radio" name="locale" value={value} required defaultChecked={chosen} />
			{children}
		</label>
	);
}
