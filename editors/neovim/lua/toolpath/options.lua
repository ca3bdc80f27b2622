-- What the user chose, over the defaults. One table for the whole plugin, replaced by setup().

local M = {}

local defaults = {
  -- The server with its arguments, e.g. { '/opt/toolpath-ls', 'serve', '--stdio' }.
  -- nil: searched for, see toolpath.client.
  cmd = nil,
  -- Handed to the server as they are: { toolpath = { codeLens = { file = false } } }.
  settings = {},
  -- Called with (client, bufnr) when the server attaches to a buffer.
  on_attach = nil,
  -- Further client capabilities, e.g. those of a completion plugin.
  capabilities = nil,
  -- Show the server's code lenses.
  code_lens = true,
  blame = {
    -- 'off', 'line' (the cursor's line) or 'all' (every run of lines in the window).
    show = 'off',
    -- Milliseconds without a key before changed text is asked about.
    debounce = 150,
    -- Longest label, in characters.
    width = 100,
    -- function(run) -> string, in place of the built-in label.
    format = nil,
  },
  window = {
    -- Widest column of steps and of actors in the blame window, in characters.
    step = 12,
    actor = 16,
  },
}

local function is_list_of_strings(value)
  if type(value) ~= 'table' or #value == 0 then
    return false
  end
  for key, word in pairs(value) do
    if type(key) ~= 'number' or type(word) ~= 'string' then
      return false
    end
  end
  return true
end

local function is_a(kind)
  return function(value)
    return type(value) == kind
  end
end

local function is_whole_from(least)
  return function(value)
    return type(value) == 'number' and value >= least and value % 1 == 0
  end
end

-- What an option must be: a check and the words for it. A table of these is a group of options.
local rules = {
  cmd = { is_list_of_strings, "a list of strings, such as { 'toolpath-ls', 'serve', '--stdio' }" },
  settings = { is_a('table'), 'a table' },
  on_attach = { is_a('function'), 'a function' },
  capabilities = { is_a('table'), 'a table' },
  code_lens = { is_a('boolean'), 'true or false' },
  blame = {
    show = {
      function(value)
        return value == 'off' or value == 'line' or value == 'all'
      end,
      "'off', 'line' or 'all'",
    },
    debounce = { is_whole_from(0), 'a number of milliseconds' },
    width = { is_whole_from(1), 'a number of characters' },
    format = { is_a('function'), 'a function' },
  },
  window = {
    step = { is_whole_from(1), 'a number of characters' },
    actor = { is_whole_from(1), 'a number of characters' },
  },
}

local function is_rule(rule)
  return type(rule[1]) == 'function'
end

local function known_in(group)
  local names = vim.tbl_keys(group)
  table.sort(names)
  return table.concat(names, ', ')
end

-- Adds to problems what is wrong with the options of a group, and returns those that are right.
local function checked(group, chosen, prefix, problems)
  local right = {}
  for name, value in pairs(chosen) do
    local rule = group[name]
    local full = prefix .. tostring(name)
    if not rule then
      table.insert(problems, ('there is no option "%s"; there are %s'):format(full, known_in(group)))
    elseif is_rule(rule) then
      if rule[1](value) then
        right[name] = value
      else
        table.insert(problems, ('%s must be %s, not %s'):format(full, rule[2], vim.inspect(value)))
      end
    elseif type(value) ~= 'table' then
      table.insert(problems, ('%s must be a table, not %s'):format(full, vim.inspect(value)))
    else
      right[name] = checked(rule, value, full .. '.', problems)
    end
  end
  return right
end

M.current = vim.deepcopy(defaults)

-- Whether setup() was called, and what was wrong with its options, a sentence each.
M.was_set, M.problems = false, {}

-- Takes what is right of the chosen options over the defaults.
function M.set(chosen)
  M.was_set, M.problems = true, {}
  if chosen ~= nil and type(chosen) ~= 'table' then
    M.problems = { 'setup() takes a table of options, not ' .. vim.inspect(chosen) }
    chosen = nil
  end
  local right = checked(rules, chosen or {}, '', M.problems)
  table.sort(M.problems)
  M.current = vim.tbl_deep_extend('force', vim.deepcopy(defaults), right)
end

return M
