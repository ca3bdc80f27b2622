-- The command :Toolpath.

local client = require('toolpath.client')
local message = require('toolpath.message')

local M = {}

-- Milliseconds that completion waits for the server.
local patience = 500

local function blame(words)
  if words[1] then
    return require('toolpath.inline').choose(words[1])
  end
  require('toolpath.blame').toggle()
end

local function go(relation)
  return function()
    require('toolpath.navigate').go(relation)
  end
end

-- The ids of the steps of the current file or document.
local function step_ids()
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if not server then
    return {}
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  local answer = client.wait_for(server, 'toolpath/steps', params, bufnr, patience)
  return vim.tbl_map(function(step)
    return step.step
  end, answer and answer.steps or {})
end

-- The subcommands. Each has
--   run(words, mods)  words are those behind its name, mods say where a window opens
--   words             which first word it takes: a list, or a function that returns one
--   strict            no other first word is taken, and how many words there may be
local commands = {
  parent = { run = go('parent'), strict = 0 },
  child = { run = go('child'), strict = 0 },
  head = { run = go('head'), strict = 0 },
  steps = {
    run = function()
      require('toolpath.lens').run_steps()
    end,
    strict = 0,
  },
  blame = { run = blame, words = { 'line', 'all', 'off' }, strict = 1 },
  graph = {
    run = function(_, mods)
      require('toolpath.graph').open(mods)
    end,
    strict = 0,
  },
  diff = {
    run = function(_, mods)
      require('toolpath.navigate').diff(nil, mods)
    end,
    strict = 0,
  },
  unreviewed = {
    run = function(words)
      require('toolpath.list').unreviewed(words[1] == 'file')
    end,
    words = { 'file' },
    strict = 1,
  },
  ['line-history'] = {
    run = function(words)
      local history = require('toolpath.history')
      return words[1] == 'list' and history.list() or words[1] ~= 'list' and history.choose()
    end,
    words = { 'list' },
    strict = 1,
  },
  ['at-step'] = {
    run = function(words, mods)
      require('toolpath.history').at_step(words[1], mods)
    end,
    words = step_ids,
  },
  previous = {
    run = function()
      require('toolpath.history').previous()
    end,
    strict = 0,
  },
  next = {
    run = function()
      require('toolpath.history').next()
    end,
    strict = 0,
  },
  deleted = {
    run = function()
      require('toolpath.history').deleted()
    end,
    strict = 0,
  },
  pick = {
    run = function(words)
      local kind = table.remove(words, 1) or 'steps'
      local kinds = require('toolpath.pick').kinds
      if not kinds[kind] then
        return message.fail(('pick knows %s, not "%s"'):format(table.concat(M.complete('', 'Toolpath pick '), ', '), kind))
      end
      require('toolpath.pick').choose(kind, words)
    end,
    words = { 'steps', 'actors', 'workspace', 'documents' },
  },
}

-- The modifiers of a command that say where a window opens.
local places = { aboveleft = true, belowright = true, botright = true, leftabove = true, rightbelow = true, topleft = true, vertical = true, horizontal = true }

local function placement(mods)
  local kept = vim.tbl_filter(function(mod)
    return places[mod] or mod:match('^%-?%d*tab$') ~= nil
  end, vim.split(mods or '', '%s+', { trimempty = true }))
  return table.concat(kept, ' ')
end

local function names()
  local all = vim.tbl_keys(commands)
  table.sort(all)
  return all
end

-- Runs :Toolpath with its words.
function M.run(words, mods)
  local name = table.remove(words, 1)
  local command = commands[name]
  if not command then
    local known = table.concat(names(), ', ')
    return message.fail(name and ('no command "%s"; there are %s'):format(name, known) or ('give one of ' .. known))
  end
  if command.strict and #words > command.strict then
    return message.fail(('%s takes %s'):format(name, command.strict == 0 and 'no argument' or 'one argument at most'))
  end
  if command.strict and words[1] and not vim.tbl_contains(command.words, words[1]) then
    return message.fail(('%s knows %s, not "%s"'):format(name, table.concat(command.words, ', '), words[1]))
  end
  command.run(words, placement(mods))
end

-- Completes the words of :Toolpath; line is what stands before the cursor.
function M.complete(lead, line)
  local rest = line:match('Toolpath!?%s+(.*)$') or ''
  local before = vim.split(rest:sub(1, #rest - #lead), '%s+', { trimempty = true })
  local words = {}
  if #before == 0 then
    words = names()
  elseif #before == 1 and commands[before[1]] then
    words = commands[before[1]].words or {}
  end
  if type(words) == 'function' then
    words = words()
  end
  local seen = {}
  return vim.tbl_filter(function(word)
    local fits = vim.startswith(word, lead) and not seen[word]
    seen[word] = true
    return fits
  end, words)
end

return M
