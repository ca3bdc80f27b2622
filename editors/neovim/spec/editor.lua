-- A Neovim under test: a child process with the plugin, driven as a user drives it, by keys, and
-- looked at as a user looks at it, by its screen. Nothing sleeps: every wait names what it waits for.

local Editor = {}
Editor.__index = Editor

local plugin = vim.env.TOOLPATH_PLUGIN
local patience = 30000 -- milliseconds until a wait fails; reached only by a failing test

-- Starts a Neovim in folder. options go to setup(); without them setup() is not called.
function Editor.start(folder, options)
  local self = setmetatable({ folder = folder }, Editor)
  local command = {
    vim.v.progpath, '--embed', '--headless', '-n', '-i', 'NONE',
    '--cmd', 'set rtp^=' .. plugin .. ' columns=120 lines=50 updatetime=50 noswapfile',
    '-u', plugin .. '/spec/init.lua',
  }
  self.channel = vim.fn.jobstart(command, {
    rpc = true,
    cwd = folder,
    env = { TOOLPATH_SETUP = options and vim.json.encode(options) or '' },
  })
  assert(self.channel > 0, 'the child Neovim does not start')
  return self
end

function Editor:close()
  pcall(vim.rpcnotify, self.channel, 'nvim_command', 'qall!')
  if vim.fn.jobwait({ self.channel }, patience)[1] == -1 then
    vim.fn.jobstop(self.channel)
    error('the child Neovim does not quit')
  end
end

-- Presses Enter at a message that waits for it, as a user does: the child answers nothing before.
function Editor:dismiss()
  local mode = vim.rpcrequest(self.channel, 'nvim_get_mode')
  if mode.blocking and mode.mode:sub(1, 1) == 'r' then
    self:type('<CR>')
  end
end

-- Runs Lua in the child; the arguments are its `...`.
function Editor:lua(code, ...)
  self:dismiss()
  local answer = vim.rpcrequest(self.channel, 'nvim_exec_lua', code, { ... })
  if answer ~= vim.NIL then
    return answer
  end
end

function Editor:command(line)
  self:dismiss()
  vim.rpcrequest(self.channel, 'nvim_command', line)
end

-- Types keys, as nvim_input reads them.
function Editor:type(keys)
  vim.rpcrequest(self.channel, 'nvim_input', keys)
end

function Editor:open(file)
  self:command('edit ' .. self.folder .. '/' .. file)
end

-- What is on the screen, row by row.
function Editor:screen()
  return self:lua([[
    vim.cmd('redraw!')
    local rows = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do
        cells[column] = vim.fn.screenstring(row, column)
      end
      rows[row] = table.concat(cells):gsub('%s+$', '')
    end
    return rows
  ]])
end

-- The first row of the screen that holds text, or nil.
function Editor:row_with(text)
  for _, row in ipairs(self:screen()) do
    if row:find(text, 1, true) then
      return row
    end
  end
end

function Editor:messages()
  return self:lua([[return vim.api.nvim_exec('messages', true)]])
end

-- Waits until check() answers something, and returns that.
function Editor:wait(what, check)
  local answer
  local came = vim.wait(patience, function()
    answer = check()
    return answer
  end, 10)
  if not came then
    local screen = table.concat(self:screen(), '\n'):gsub('\n+$', '')
    error(('waited in vain for %s\nmessages: %s\nscreen:\n%s'):format(what, self:messages(), screen), 2)
  end
  return answer
end

-- Waits until a row of the screen holds every one of the texts, and returns the row.
function Editor:wait_row(...)
  local texts = { ... }
  return self:wait('a row with ' .. table.concat(texts, ' and '), function()
    for _, row in ipairs(self:screen()) do
      local all = true
      for _, text in ipairs(texts) do
        all = all and row:find(text, 1, true)
      end
      if all then
        return row
      end
    end
  end)
end

-- Puts the cursor on the n-th (default first) occurrence of text in the buffer.
function Editor:go_to(text, n)
  local found = self:lua([[
    local text, n = ...
    vim.api.nvim_win_set_cursor(0, { 1, 0 })
    local flags = 'cW'
    for _ = 1, n do
      if vim.fn.search('\\V' .. vim.fn.escape(text, '\\'), flags) == 0 then
        return false
      end
      flags = 'W'
    end
    return true
  ]], text, n or 1)
  assert(found, 'the buffer does not hold ' .. text)
end

-- Opens the hover window and waits until it holds text. It is asked for by a command, as a user
-- does: a cursor that Lua has just put somewhere is noticed to have moved only then, and that closes
-- the window. The window's text is read from its buffer, for the screen of Neovim 0.7 has no floating
-- windows without a terminal.
function Editor:wait_hover(text)
  self:type(':lua vim.lsp.buf.hover()<CR>')
  return self:wait('a hover with ' .. text, function()
    return self:lua([[
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(win).relative ~= '' then
          local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
          local shown = table.concat(lines, '\n')
          return shown:find(..., 1, true) and shown or nil
        end
      end
    ]], text)
  end)
end

-- Has vim.ui.select offer its choices to the test instead of asking: see Editor:wait_choices.
function Editor:replace_select()
  self:lua([[
    vim.ui.select = function(items, options, on_choice)
      offered = { prompt = options.prompt, kind = options.kind, lines = vim.tbl_map(options.format_item, items) }
      choose = function(n)
        offered = nil
        on_choice(items[n], n)
      end
    end
  ]])
end

-- Waits until the user is to choose, and returns { prompt, kind, lines }.
function Editor:wait_choices()
  return self:wait('choices', function()
    return self:lua([[return offered]])
  end)
end

function Editor:choose(n)
  self:lua([[choose(...)]], n)
end

-- Waits until Neovim asks the user something, and types the answer. Before 0.11 it answers nothing else
-- meanwhile.
function Editor:answer(keys)
  local stays_open = vim.fn.has('nvim-0.11') == 1
  local asked = vim.wait(patience, function()
    local mode = vim.rpcrequest(self.channel, 'nvim_get_mode')
    return mode.blocking or stays_open and vim.rpcrequest(self.channel, 'nvim_call_function', 'getcmdtype', {}):find('[-@]')
  end, 10)
  assert(asked, 'Neovim asks nothing')
  self:type(keys)
end

-- Waits until a message holds text, and returns all messages.
function Editor:wait_message(text)
  return self:wait('the message ' .. text, function()
    local messages = self:messages()
    return messages:find(text, 1, true) and messages
  end)
end

-- Waits until the cursor's line holds text.
function Editor:wait_line(text)
  self:wait('the cursor in a line with ' .. text, function()
    return self:line():find(text, 1, true)
  end)
end

-- Waits until the current buffer's name ends in text.
function Editor:wait_file(text)
  self:wait('the file ' .. text, function()
    return vim.endswith(self:lua([[return vim.api.nvim_buf_get_name(0)]]), text)
  end)
end

-- The lines of the current buffer.
function Editor:lines()
  return self:lua([[return vim.api.nvim_buf_get_lines(0, 0, -1, false)]])
end

-- Expects that nothing has gone wrong in Lua so far.
function Editor:expect_no_errors()
  local messages = self:messages()
  for _, sign in ipairs({ 'stack traceback', 'Error executing', 'Error detected', 'E5108', 'attempt to' }) do
    assert(not messages:find(sign, 1, true), messages)
  end
end

function Editor:line()
  return self:lua([[return vim.api.nvim_get_current_line()]])
end

-- Waits until the server answers for the current buffer.
function Editor:wait_attached()
  self:wait('the server', function()
    return self:lua([[return require('toolpath.client').of(vim.api.nvim_get_current_buf()) ~= nil]])
  end)
end

-- How many servers run.
function Editor:servers()
  return self:lua([[
    local get = vim.lsp.get_clients or vim.lsp.get_active_clients
    return #vim.tbl_filter(function(client) return client.name == 'toolpath' end, get())
  ]])
end

return Editor
