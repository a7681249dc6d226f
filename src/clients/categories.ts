/** A proposed toolbox, and the words that indicate it. */
export interface Category {
  readonly toolbox: string;
  readonly description: string;
  readonly words: readonly string[];
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * The proposed toolboxes: a server goes into the category with the most words of its name, package
 * and host; on a tie the first one wins.
 */
export const CATEGORIES: readonly Category[] = [
  {
    toolbox: "code",
    description: "Source code, reviews, issues and builds",
    words: words(`
      git github gitlab bitbucket gitea forgejo sourcegraph serena codegraph ast lsp ide jetbrains
      eslint sonarqube semgrep snyk circleci jenkins buildkite actions ci linear jira sentry figma
      storybook shadcn xcode xcodebuild gradle maven npm pypi cargo repo repos code debugger`),
  },
  {
    toolbox: "data",
    description: "Databases, queries and analytics",
    words: words(`
      postgres postgresql mysql mariadb sqlite mongodb mongo redis neon supabase snowflake bigquery
      databricks clickhouse duckdb motherduck elasticsearch opensearch qdrant pinecone weaviate
      chroma milvus neo4j prisma dbhub sql database db airtable dbt looker metabase posthog amplitude
      mixpanel hubspot salesforce stripe`),
  },
  {
    toolbox: "ops",
    description: "Cloud, infrastructure and monitoring",
    words: words(`
      aws azure gcp gcloud google-cloud cloudflare vercel netlify heroku fly railway render
      digitalocean hetzner kubernetes k8s kubectl helm docker podman terraform pulumi ansible grafana
      prometheus datadog newrelic honeycomb splunk pagerduty opsgenie statuspage cloudwatch s3 lambda
      iam ecs eks vault`),
  },
  {
    toolbox: "communication",
    description: "Messages, mail, calendars and meetings",
    words: words(`
      slack discord teams telegram whatsapp signal matrix mattermost zulip twilio sendgrid gmail mail
      email outlook imap smtp resend calendar gcal zoom meet chat sms intercom zendesk`),
  },
  {
    toolbox: "knowledge",
    description: "Files, notes, documents and memory",
    words: words(`
      filesystem file files fs notion obsidian confluence evernote roam logseq gdrive drive docs
      document documents sheets dropbox box onedrive sharepoint memory knowledge notes zotero readwise
      pdf markdown context7 deepwiki wiki todoist asana trello clickup monday`),
  },
  {
    toolbox: "web",
    description: "Search, browsing and fetching from the web",
    words: words(`
      fetch browser playwright puppeteer selenium chrome devtools browserbase stagehand firecrawl
      crawl scrape scraper apify brave tavily exa perplexity kagi google search serper serpapi
      duckduckgo searxng web http youtube reddit twitter weather maps news arxiv`),
  },
];

/** For servers that match no word. */
export const OTHER: Category = { toolbox: "general", description: "Everything else", words: [] };

/** The category with the most matching words. */
export function categoryOf(found: Iterable<string>): Category {
  const given = new Set(found);
  let best = OTHER;
  let most = 0;
  for (const purpose of CATEGORIES) {
    const count = purpose.words.filter((word) => given.has(word)).length;
    if (count > most) [best, most] = [purpose, count];
  }
  return best;
}
