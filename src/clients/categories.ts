/** A proposed toolbox, and the words that indicate it. */
export interface Category {
  readonly toolbox: string;
  /** What its servers are for, as it ends a generated description. */
  readonly purpose: string;
  readonly words: readonly string[];
  /** The toolbox that its servers join while that one stays small. */
  readonly within?: string;
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * The proposed toolboxes: a server goes into the category with the most words of its name, package
 * and host; on a tie the first one wins.
 */
export const CATEGORIES: readonly Category[] = [
  {
    toolbox: "code",
    purpose: "source code, reviews, issues and builds",
    words: words(`
      git github gitlab bitbucket gitea forgejo sourcegraph serena codegraph ast lsp ide jetbrains
      eslint sonarqube semgrep snyk circleci jenkins buildkite actions ci nx postman gradle maven npm
      pypi cargo repo repos repomix code debugger swagger openapi`),
  },
  {
    toolbox: "planning",
    purpose: "tickets, tasks and projects",
    within: "code",
    words: words(`
      linear jira atlassian asana trello clickup monday todoist ticktick shortcut height plane youtrack
      redmine basecamp task-master task-master-ai taskmaster tasks todo kanban`),
  },
  {
    toolbox: "docs",
    purpose: "documentation of libraries and frameworks",
    within: "code",
    words: words(`
      context7 deepwiki svelte sveltejs mui angular react nextjs nuxt astro langchain-docs
      microsoft-learn docs-rs ref-tools`),
  },
  {
    toolbox: "mobile",
    purpose: "building and testing mobile apps",
    within: "code",
    words: words(`
      mobile mobilenext xcode xcodebuild xcodebuildmcp ios android simulator emulator appium maestro
      expo flutter dart adb`),
  },
  {
    toolbox: "design",
    purpose: "designs, UI components, charts and diagrams",
    words: words(`
      figma sketch penpot canva framer shadcn storybook magicui 21st magic mermaid chart charts antv
      echarts diagram diagrams drawio excalidraw plantuml blender`),
  },
  {
    toolbox: "data",
    purpose: "databases, queries and analytics",
    words: words(`
      postgres postgresql mysql mariadb sqlite mongodb mongo redis neon supabase snowflake bigquery
      databricks clickhouse duckdb motherduck elastic elasticsearch opensearch qdrant pinecone weaviate
      chroma milvus neo4j prisma dbhub sql mssql oracle database db airtable dbt looker metabase posthog
      amplitude mixpanel`),
  },
  {
    toolbox: "ops",
    purpose: "cloud, infrastructure and monitoring",
    words: words(`
      aws azure gcp gcloud google-cloud cloudflare vercel netlify heroku fly railway render
      digitalocean hetzner kubernetes k8s kubectl helm docker podman terraform pulumi ansible grafana
      prometheus datadog newrelic honeycomb splunk sentry pagerduty opsgenie statuspage cloudwatch s3
      lambda iam ecs eks vault`),
  },
  {
    toolbox: "communication",
    purpose: "messages, mail, calendars and meetings",
    words: words(`
      slack discord teams telegram whatsapp signal matrix mattermost zulip twilio sendgrid gmail mail
      email outlook imap smtp resend calendar gcal zoom meet chat sms`),
  },
  {
    toolbox: "knowledge",
    purpose: "files, notes, documents and memory",
    words: words(`
      filesystem file files fs desktop-commander notion notionhq obsidian confluence evernote roam
      logseq gdrive drive docs document documents sheets dropbox box onedrive sharepoint memory mem0
      knowledge notes zotero readwise pdf markdown markitdown wiki`),
  },
  {
    toolbox: "web",
    purpose: "browsing, fetching and searching the web",
    words: words(`
      fetch browser browsermcp playwright puppeteer selenium chrome devtools chrome-devtools
      browserbase stagehand firecrawl crawl scrape scraper apify actors brightdata hyperbrowser oxylabs
      web http youtube reddit twitter`),
  },
  {
    toolbox: "search",
    purpose: "searching the web",
    within: "web",
    words: words(`
      search brave brave-search tavily exa perplexity perplexity-ai kagi serper serpapi
      duckduckgo searxng jina linkup news arxiv`),
  },
  {
    toolbox: "maps",
    purpose: "maps, places, routes and weather",
    within: "web",
    words: words(`maps map mapbox openstreetmap osm geocode geocoding routes weather`),
  },
  {
    toolbox: "business",
    purpose: "customers, payments and shops",
    words: words(`
      stripe paypal square adyen hubspot salesforce pipedrive attio zoho shopify woocommerce magento
      xero quickbooks zendesk intercom freshdesk crm erp odoo sap invoice invoices`),
  },
  {
    toolbox: "automation",
    purpose: "workflows between services",
    within: "general",
    words: words(`n8n zapier pipedream ifttt activepieces workflow workflows automation`),
  },
];

/** For servers that match no word. */
export const OTHER: Category = { toolbox: "general", purpose: "other tools", words: [] };

/** The category with the most matching words. */
export function categoryOf(found: Iterable<string>): Category {
  const given = new Set(found);
  let best = OTHER;
  let most = 0;
  for (const category of CATEGORIES) {
    const count = category.words.filter((word) => given.has(word)).length;
    if (count > most) [best, most] = [category, count];
  }
  return best;
}
